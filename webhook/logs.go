package webhook

import (
	"log/slog"

	"github.com/go-logr/logr"
	"k8s.io/klog/v2"
	ctrllog "sigs.k8s.io/controller-runtime/pkg/log"
)

// RouteLogs sends the logs of the libraries (controller-runtime, client-go, and
// net/http, which uses the standard logger) to log. Programs call it once, at
// their start: those loggers are global.
func RouteLogs(log *slog.Logger) {
	slog.SetDefault(log)
	// What net/http says is about clients: failed handshakes, mostly.
	slog.SetLogLoggerLevel(slog.LevelDebug)
	ctrllog.SetLogger(logr.FromSlogHandler(log.Handler()))
	klog.SetSlogLogger(log)
}
