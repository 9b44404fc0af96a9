package cli

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"strings"
)

// console is standard error: messages and, on a terminal, one line of progress that is overwritten.
type console struct{ io.Writer }

func (c console) isTerminal() bool { return isTerminal(c.Writer) }

// progress replaces the progress line, which is on a terminal.
func (c console) progress(line string) { fmt.Fprintf(fileOf(c.Writer), "\r\x1b[K%s", line) }

// clear erases the progress line.
func (c console) clear() {
	if c.isTerminal() {
		c.progress("")
	}
}

// logger returns a logger that prints plain sentences.
func (c console) logger(verbose bool) *slog.Logger {
	log := slog.New(&plain{console: c, level: new(slog.LevelVar)})
	setVerbose(log, verbose)
	return log
}

// setVerbose has a logger of this package print more, or no more than usual.
func setVerbose(log *slog.Logger, verbose bool) {
	level := slog.LevelInfo
	if verbose {
		level = slog.LevelDebug
	}
	setLevel(log, level)
}

// setLevel has a logger of this package print what is at least of a level.
func setLevel(log *slog.Logger, level slog.Level) {
	if p, ok := log.Handler().(*plain); ok {
		p.level.Set(level)
	}
}

// plain is a slog.Handler for people: it prints no time, and the level of warnings and errors only.
type plain struct {
	console
	level *slog.LevelVar
}

func (p *plain) Enabled(_ context.Context, l slog.Level) bool { return l >= p.level.Level() }
func (p *plain) WithAttrs([]slog.Attr) slog.Handler           { return p }
func (p *plain) WithGroup(string) slog.Handler                { return p }

func (p *plain) Handle(_ context.Context, r slog.Record) error {
	var b strings.Builder
	if r.Level >= slog.LevelWarn {
		b.WriteString(strings.ToLower(r.Level.String()) + ": ")
	}
	b.WriteString(r.Message)
	r.Attrs(func(a slog.Attr) bool {
		if a.Key == "why" {
			fmt.Fprintf(&b, ": %v", a.Value)
		} else {
			fmt.Fprintf(&b, ", %s %v", a.Key, a.Value)
		}
		return true
	})
	p.clear()
	_, err := fmt.Fprintf(p, "hotspan: %s\n", printable(b.String()))
	return err
}
