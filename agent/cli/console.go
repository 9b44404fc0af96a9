package cli

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"strings"

	"golang.org/x/term"
)

// console is standard error: messages, and where it is a terminal one line of progress that is written over.
type console struct{ io.Writer }

func (c console) isTerminal() bool {
	f, ok := c.Writer.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// progress writes over the line that it wrote last.
func (c console) progress(line string) { fmt.Fprintf(c, "\r\x1b[K%s", line) }

// clear takes the progress line away.
func (c console) clear() {
	if c.isTerminal() {
		fmt.Fprint(c, "\r\x1b[K")
	}
}

// logger prints what a user should know as plain sentences.
func (c console) logger(verbose bool) *slog.Logger {
	level := slog.LevelInfo
	if verbose {
		level = slog.LevelDebug
	}
	return slog.New(&plain{console: c, level: level})
}

// plain is a slog.Handler for people: no time, no level but for what is wrong.
type plain struct {
	console
	level slog.Level
}

func (p *plain) Enabled(_ context.Context, l slog.Level) bool { return l >= p.level }
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
