package terminal

import (
	"cmp"
	"io"
	"os"
	"sync"
	"unicode/utf8"

	"golang.org/x/term"

	"github.com/hotspan/hotspan/pprofx"
)

// escaping is standard output or error. Whatever is printed may hold text of a process, such as names, paths and
// values: what a terminal would act on is escaped here, so that no verb can forget it.
type escaping struct {
	to   io.Writer
	lock sync.Mutex
	rest []byte // the beginning of a character whose end was not written yet
	err  error  // of the first write that failed
}

// Escape returns a writer that escapes what it writes to another one.
func Escape(to io.Writer) io.Writer { return &escaping{to: to} }

func (e *escaping) Write(text []byte) (int, error) {
	e.lock.Lock()
	defer e.lock.Unlock()
	all := append(e.rest, text...)
	end := len(all)
	for n := 1; n < utf8.UTFMax && n <= len(all); n++ {
		if last := all[len(all)-n:]; utf8.RuneStart(last[0]) && !utf8.FullRune(last) {
			end -= n
		}
	}
	e.rest = append([]byte(nil), all[end:]...)
	if _, err := e.to.Write(pprofx.AppendEscaped(nil, all[:end], isLayout)); err != nil {
		e.err = cmp.Or(e.err, err)
		return 0, err
	}
	return len(text), nil
}

// Failed returns why a writer that Escape returned has not written all.
func Failed(to io.Writer) error {
	e := to.(*escaping)
	e.lock.Lock()
	defer e.lock.Unlock()
	return e.err
}

// isLayout reports whether hotspan itself prints a control character.
func isLayout(r rune) bool { return r == '\n' || r == '\t' }

// FileOf returns the file to which a writer writes; nil if that is none.
func FileOf(to io.Writer) *os.File {
	if e, ok := to.(*escaping); ok {
		to = e.to
	}
	f, _ := to.(*os.File)
	return f
}

// IsTerminal reports whether a writer writes to a terminal.
func IsTerminal(to io.Writer) bool {
	f := FileOf(to)
	return f != nil && term.IsTerminal(int(f.Fd()))
}
