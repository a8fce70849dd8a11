package webhook

import (
	"log/slog"
	"strconv"
	"time"

	"colocate.dev/colocate/injector"
)

// line is what is logged of one admission. It holds names only: never the object,
// the patch, or the message, which may quote from the pod.
type line struct {
	request  *injector.Request
	decision *injector.Decision
	end      time.Time
	took     time.Duration
}

const lineMessage = "admission"

func (l *line) level() slog.Level {
	if l.decision.Reason == injector.ReasonNotAsked {
		return slog.LevelDebug // only where the delivered matchCondition was taken out
	}
	return slog.LevelInfo
}

// record is the line for a handler. A Logger would look up the caller first, which
// costs as much as the line.
func (l *line) record() slog.Record {
	q, d := l.request, l.decision
	r := slog.NewRecord(l.end, l.level(), lineMessage, 0)
	r.AddAttrs(
		slog.String("namespace", string(logged(q.Namespace))),
		slog.String("name", string(logged(q.Name))),
		slog.String("uid", string(logged(q.UID))),
		slog.String("role", roleForPeople(d.Role)),
		slog.String("result", d.Outcome.String()),
		slog.String("reason", string(d.Reason)),
		slog.Int("warnings", len(d.Warnings)),
		slog.Bool("dryRun", q.DryRun),
		slog.Duration("duration", l.took),
	)
	return r
}

// appendJSON appends the line that [slog.JSONHandler] writes for the record, without
// making one: an eighth of a small admission was spent on that (ADR 4). The JSON says
// the same; some characters in strings are escaped in another way.
func (l *line) appendJSON(dst []byte) []byte {
	q, d := l.request, l.decision
	dst = append(dst, `{"time":"`...)
	dst = l.end.AppendFormat(dst, time.RFC3339Nano)
	dst = append(dst, `","level":"`...)
	dst = append(dst, l.level().String()...)
	dst = append(dst, `","msg":"`+lineMessage+`","namespace":`...)
	dst = injector.AppendString(dst, logged(q.Namespace))
	dst = append(dst, `,"name":`...)
	dst = injector.AppendString(dst, logged(q.Name))
	dst = append(dst, `,"uid":`...)
	dst = injector.AppendString(dst, logged(q.UID))
	dst = append(dst, `,"role":`...)
	dst = injector.AppendString(dst, roleForPeople(d.Role))
	dst = append(dst, `,"result":`...)
	dst = injector.AppendString(dst, d.Outcome.String())
	dst = append(dst, `,"reason":`...)
	dst = injector.AppendString(dst, string(d.Reason))
	dst = append(dst, `,"warnings":`...)
	dst = strconv.AppendInt(dst, int64(len(d.Warnings)), 10)
	dst = append(dst, `,"dryRun":`...)
	dst = strconv.AppendBool(dst, q.DryRun)
	dst = append(dst, `,"duration":`...)
	dst = strconv.AppendInt(dst, int64(l.took), 10)
	return append(dst, "}\n"...)
}

// maxLogged is the length in bytes of the longest name that Kubernetes allows; no
// API server sends more, but who else does shall not fill the log.
const maxLogged = 253

func logged(name []byte) []byte {
	if len(name) <= maxLogged {
		return name
	}
	return []byte(cut(string(name[:maxLogged+1]), maxLogged))
}
