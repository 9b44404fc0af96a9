package export

import (
	"strings"
	"sync/atomic"
	"time"
)

// trouble keeps what went wrong last. One goroutine may change it while others read.
type trouble struct{ last atomic.Pointer[failure] }

type failure struct {
	since time.Time // of failing; zero: it does not fail, and samples were refused
	why   string
}

// now returns the last failure; the zero one is none.
func (t *trouble) now() failure {
	if f := t.last.Load(); f != nil {
		return *f
	}
	return failure{}
}

func (t *trouble) isFailing() bool { return !t.now().since.IsZero() }

// fail notes why a try failed. The first of several says since when.
func (t *trouble) fail(why error) {
	since := t.now().since
	if since.IsZero() {
		since = time.Now()
	}
	t.note(since, why)
}

// refuse notes why samples were refused, which is no success either.
func (t *trouble) refuse(why error) { t.note(t.now().since, why) }

// end notes that it works again.
func (t *trouble) end() { t.last.Store(nil) }

// maxWhy bounds what is kept of an error, in bytes: servers have part in it.
const maxWhy = 500

func (t *trouble) note(since time.Time, why error) {
	text := why.Error()
	if len(text) > maxWhy {
		text = text[:maxWhy-len("…")] + "…"
	}
	t.last.Store(&failure{since, strings.ToValidUTF8(text, "")})
}
