package receiver

import (
	"context"
	"log/slog"

	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
)

// handler passes the agent's messages to the Collector's log. The agent uses neither groups nor attributes of a Logger.
type handler struct{ to *zap.Logger }

// levels are the Collector's levels for those of slog.
var levels = map[slog.Level]zapcore.Level{
	slog.LevelDebug: zap.DebugLevel, slog.LevelInfo: zap.InfoLevel, slog.LevelWarn: zap.WarnLevel,
	slog.LevelError: zap.ErrorLevel,
}

// Enabled implements slog.Handler.
func (h handler) Enabled(_ context.Context, l slog.Level) bool { return h.to.Core().Enabled(levels[l]) }

// Handle implements slog.Handler.
func (h handler) Handle(_ context.Context, r slog.Record) error {
	var fields []zap.Field
	r.Attrs(func(a slog.Attr) bool {
		fields = append(fields, field(a))
		return true
	})
	h.to.Log(levels[r.Level], r.Message, fields...)
	return nil
}

// WithAttrs implements slog.Handler.
func (h handler) WithAttrs(all []slog.Attr) slog.Handler {
	var fields []zap.Field
	for _, a := range all {
		fields = append(fields, field(a))
	}
	return handler{h.to.With(fields...)}
}

// WithGroup implements slog.Handler.
func (h handler) WithGroup(name string) slog.Handler { return handler{h.to.With(zap.Namespace(name))} }

func field(a slog.Attr) zap.Field { return zap.Any(a.Key, a.Value.Resolve().Any()) }
