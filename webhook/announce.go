package webhook

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"time"
	"unicode/utf8"

	corev1 "k8s.io/api/core/v1"
)

// announcer says what a load came to, in the log and in Events on the
// ConfigMaps, and says the same thing only once.
type announcer struct {
	events recorder
	log    *slog.Logger
	said   map[string]announced // by source
}

// announced are the problems that were announced, all and without the warnings.
type announced struct{ all, faults string }

func toAnnounce(problems []problem) announced {
	return announced{note(problems, -1), note(withoutWarnings(problems), -1)}
}

func newAnnouncer(events recorder, log *slog.Logger) *announcer {
	return &announcer{events: events, log: log, said: map[string]announced{}}
}

const (
	// maxLines bounds the problems of one ConfigMap in the log, maxNote the bytes of
	// an Event's note (the API server refuses more than 1,024).
	maxLines = 50
	maxNote  = 1000

	eventFaulty  = "DefinitionsFaulty"
	eventInOrder = "DefinitionsInOrder"
	eventAction  = "Load"
)

func (a *announcer) announce(ctx context.Context, configMaps []*corev1.ConfigMap, l loading, took time.Duration) {
	level, text := slog.LevelInfo, "definitions loaded"
	switch {
	case l.kept:
		level, text = slog.LevelWarn, "no definitions are there any more: what was loaded stays in force until others are"
	case l.documents == 0:
		level, text = slog.LevelWarn, "no definitions are there: pods that name a role are refused; apply what colocate build writes"
	case broken(l.problems):
		level, text = slog.LevelWarn, "definitions loaded with faults"
	}
	a.log.LogAttrs(ctx, level, text,
		slog.Int("configMaps", len(configMaps)), slog.Int("documents", l.documents),
		slog.Int("roles", l.roles), slog.Int("usable", l.usable),
		slog.Int("problems", len(l.problems)), slog.Duration("duration", took))

	bySource := map[string][]problem{}
	for _, p := range l.problems {
		bySource[p.Origin.Source] = append(bySource[p.Origin.Source], p)
	}
	said := make(map[string]announced, len(bySource))
	for _, cm := range configMaps {
		source := sourceOf(cm.Namespace, cm.Name)
		problems := bySource[source]
		delete(bySource, source)
		before, now := a.said[source], toAnnounce(problems)
		said[source] = now
		if now.all != before.all {
			a.lines(ctx, problems)
		}
		if now.faults != before.faults {
			a.event(cm, withoutWarnings(problems))
		}
	}
	for source, problems := range bySource { // of forms whose ConfigMap is gone
		if said[source] = toAnnounce(problems); said[source].all != a.said[source].all {
			a.lines(ctx, problems)
		}
	}
	a.said = said
}

// lines logs problems, each with its place.
func (a *announcer) lines(ctx context.Context, problems []problem) {
	for i, p := range problems {
		if i == maxLines {
			a.log.LogAttrs(ctx, slog.LevelWarn, "further problems are not listed", slog.Int("number", len(problems)-i))
			return
		}
		level, text := slog.LevelWarn, "definition is faulty"
		if p.Warning {
			level, text = slog.LevelInfo, "definition is doubtful"
		}
		a.log.LogAttrs(ctx, level, text,
			slog.String("source", p.Origin.Source), slog.String("key", p.Origin.Key),
			slog.Int("line", p.Origin.Line), slog.Int("column", p.Origin.Column),
			slog.String("definition", p.Name), slog.String("reason", string(p.Reason)),
			slog.String("message", p.Message), slog.String("consequence", p.Consequence))
	}
}

// event writes one Event for all faults of a ConfigMap, or for their end.
func (a *announcer) event(cm *corev1.ConfigMap, faults []problem) {
	// Events name the object they are about by kind; a list from a cache has none.
	about := &corev1.ConfigMap{ObjectMeta: cm.ObjectMeta}
	about.APIVersion, about.Kind = "v1", "ConfigMap"
	if len(faults) > 0 {
		a.events.Eventf(about, nil, corev1.EventTypeWarning, eventFaulty, eventAction, "%s", note(faults, maxNote))
	} else {
		a.events.Eventf(about, nil, corev1.EventTypeNormal, eventInOrder, eventAction, "%s", "all definitions are in force as they are written")
	}
}

func withoutWarnings(problems []problem) (out []problem) {
	for _, p := range problems {
		if !p.Warning {
			out = append(out, p)
		}
	}
	return out
}

// note joins problems to a text of at most limit bytes; -1 is no limit.
func note(problems []problem, limit int) string {
	var b strings.Builder
	for i, p := range problems {
		line := p.String()
		if limit >= 0 && b.Len()+len(line) > limit-40 {
			if i == 0 {
				b.WriteString(cut(line, limit-40))
				i++
			}
			if more := len(problems) - i; more > 0 {
				fmt.Fprintf(&b, "\nand %d more; see the log", more)
			}
			break
		}
		if i > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(line)
	}
	return b.String()
}

// cut shortens s to limit bytes, without cutting a character apart.
func cut(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	limit -= len("…")
	for limit > 0 && !utf8.RuneStart(s[limit]) {
		limit--
	}
	return s[:max(limit, 0)] + "…"
}
