package terminal

import (
	"fmt"
	"io"
	"strings"

	"github.com/hotspan/hotspan/pprofx"
)

// Sheet prints sections, and lines of two columns in them. It keeps the first error and prints nothing after it.
type Sheet struct {
	io.Writer
	Err error
}

// Printf prints a text as it is.
func (w *Sheet) Printf(format string, args ...any) {
	if w.Err == nil {
		_, w.Err = fmt.Fprintf(w, format, args...)
	}
}

// Line prints a line about a process.
func (w *Sheet) Line(what, format string, args ...any) {
	w.Printf("%11s%-14s  %s\n", "", what, fmt.Sprintf(format, args...))
}

// Several prints a line about a process for each text.
func (w *Sheet) Several(what string, texts []string) {
	for i, text := range texts {
		w.Line(Once(what, i), "%s", Printable(text))
	}
}

// Once returns the first column of line i: only the first of several lines has it.
func Once(what string, i int) string {
	if i > 0 {
		return ""
	}
	return what
}

// LongestCommand bounds what is printed of a command line, in characters.
const LongestCommand = 90

// Shorten cuts a text to so many characters.
func Shorten(s string, n int) string {
	if r := []rune(s); len(r) > n {
		return string(r[:n-1]) + "…"
	}
	return s
}

// Printable replaces characters that a terminal would act on in a text from elsewhere, line ends included.
func Printable(s string) string {
	return strings.Map(func(r rune) rune {
		if pprofx.IsControl(r) {
			return ' '
		}
		return r
	}, s)
}

// NodeVersion is a version of Node.js as text, also where that is unknown.
func NodeVersion(s string) string {
	if s == "" {
		return "of an unknown version"
	}
	return s
}
