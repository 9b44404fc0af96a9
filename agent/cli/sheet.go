package cli

import (
	"fmt"
	"io"
	"strings"

	"github.com/hotspan/hotspan/pprofx"
)

// sheet prints sections, and lines of two columns in them. It keeps the first error and prints nothing after it.
type sheet struct {
	io.Writer
	err error
}

func (w *sheet) printf(format string, args ...any) {
	if w.err == nil {
		_, w.err = fmt.Fprintf(w, format, args...)
	}
}

// line prints a line about a process.
func (w *sheet) line(what, format string, args ...any) {
	w.printf("%11s%-14s  %s\n", "", what, fmt.Sprintf(format, args...))
}

func (w *sheet) several(what string, texts []string) {
	for i, text := range texts {
		w.line(once(what, i), "%s", printable(text))
	}
}

// once returns the first column of line i: only the first of several lines has it.
func once(what string, i int) string {
	if i > 0 {
		return ""
	}
	return what
}

// longestCommand bounds what is printed of a command line, in characters.
const longestCommand = 90

func shorten(s string, n int) string {
	if r := []rune(s); len(r) > n {
		return string(r[:n-1]) + "…"
	}
	return s
}

// printable replaces characters that a terminal would act on in a text from elsewhere, line ends included.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if pprofx.IsControl(r) {
			return ' '
		}
		return r
	}, s)
}

// nodeVersion is a version of Node.js as text, also where that is unknown.
func nodeVersion(s string) string {
	if s == "" {
		return "of an unknown version"
	}
	return s
}
