// Package terminal prints: messages and a line of progress on standard error, columns and JSON on standard output, and
// numbers, names and labels as people read them.
package terminal

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"strings"

	"github.com/clipperhouse/displaywidth"
)

// Console is standard error: messages and, on a terminal, one line of progress that is overwritten.
type Console struct{ io.Writer }

// IsTerminal reports whether messages go to a terminal.
func (c Console) IsTerminal() bool { return IsTerminal(c.Writer) }

// Progress replaces the progress line, which is on a terminal, by what has room of another: only one line can be
// replaced. Where the terminal replaces nothing, as in an editor, there is none.
func (c Console) Progress(line string) {
	if os.Getenv("TERM") != "dumb" {
		cut := displaywidth.TruncateString(line, WidthOf(c.Writer)-1, "…")
		fmt.Fprintf(FileOf(c.Writer), "\r\x1b[K%s", cut)
	}
}

// Clear erases the progress line.
func (c Console) Clear() {
	if c.IsTerminal() {
		c.Progress("")
	}
}

// Logger returns a logger that prints plain sentences.
func (c Console) Logger(verbose bool) *slog.Logger {
	log := slog.New(&plain{Console: c, level: new(slog.LevelVar)})
	SetVerbose(log, verbose)
	return log
}

// SetVerbose has a logger of this package print more, or no more than usual.
func SetVerbose(log *slog.Logger, verbose bool) {
	level := slog.LevelInfo
	if verbose {
		level = slog.LevelDebug
	}
	SetLevel(log, level)
}

// SetLevel has a logger of this package print what is at least of a level.
func SetLevel(log *slog.Logger, level slog.Level) {
	if p, ok := log.Handler().(*plain); ok {
		p.level.Set(level)
	}
}

// plain is a slog.Handler for people: it prints no time, and the level of warnings and errors only.
type plain struct {
	Console
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
	p.Clear()
	_, err := fmt.Fprintf(p, "hotspan: %s\n", Printable(b.String()))
	return err
}
