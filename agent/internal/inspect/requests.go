package inspect

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/hotspan/hotspan/agent/internal/procs"
	"github.com/hotspan/hotspan/agent/internal/requests"
	"github.com/hotspan/hotspan/agent/internal/sampler"
	reqctx "github.com/hotspan/hotspan/context"
	"github.com/hotspan/hotspan/pprofx"
	"github.com/hotspan/hotspan/v8/functions"
	"github.com/hotspan/hotspan/v8/heap"
	"github.com/hotspan/hotspan/v8/space"
	"github.com/hotspan/hotspan/v8/value"
)

// Requests are what a process waits for, by the stores of AsyncLocalStorages that go with it.
type Requests struct {
	// Those for which Node.js or libuv waits first, the oldest of them first; last what is of no request.
	Requests []Request
	More     int // waits that are left out
	Changed  int // waits that began or ended while the heap was read
	Walk
}

// Request is what has the same stores.
type Request struct {
	Labels  []pprofx.Label // that rules make of the stores
	Stores  []RequestStore // none: of no request
	NotRead error          // why the stores are not known
	Waits   []Wait
	Began   int64         // when its span did, in nanoseconds since 1970; 0: no tracer says
	Age     time.Duration // by its span
	Aged    bool          // Age is known
}

// AtLeast is how old it is at least, by the timer that runs longest; 0: none does.
func (q *Request) AtLeast() (d time.Duration) {
	for _, w := range q.Waits {
		if w.Timed {
			d = max(d, time.Duration(w.Since)*time.Millisecond)
		}
	}
	return d
}

// oldest is Age, or what is known of it.
func (q *Request) oldest() time.Duration { return max(q.Age, q.AtLeast()) }

// RequestStore is the store of one AsyncLocalStorage.
type RequestStore struct {
	Name    string // of the AsyncLocalStorage; empty if not known
	Address uint64 // with V8's tag, or the value in the word itself
	Text    string // as print shows it
}

// Wait is one thing that is waited for.
type Wait struct {
	requests.Wait
	Name         string // of the function that goes on then
	File         string // where it is, or where it awaits; empty: it is V8's own, or not known
	Line, Column int
}

// forAll reports whether something is for all requests, though it has the stores of the one that needed it first, which
// mostly has ended: the timer by which Node.js makes the text of the Date header anew each second.
// (node: lib/internal/http.js, cache)
func (w *Wait) forAll() bool { return w.Name == "resetCache" && w.File == "node:internal/http" }

// Pending reports whether nothing but pending promises wait with the stores.
func (q *Request) Pending() bool {
	return !slices.ContainsFunc(q.Waits, func(w Wait) bool { return w.Sort != requests.Await })
}

// Requests finds what the process waits for. Stores are shown one deep. Of a process that runs it is what was found
// twice: objects move, and what was read of one may have been another's.
func (s *Subject) Requests(rules []reqctx.Rule, progress Progress) Requests {
	out := s.stillWaits(rules, progress)
	if s.live {
		again := s.stillWaits(rules, progress)
		again.keep(&out)
		out = again
	}
	out.sort()
	return out
}

// maxWalks bounds how often the heap of an isolate is walked in which V8 collects garbage meanwhile.
const maxWalks = 3

// stillWaits walks the heap of each isolate until no collection moves objects meanwhile, if there is such a time. One
// of many isolates collects all the time.
func (s *Subject) stillWaits(rules []reqctx.Rule, progress Progress) (out Requests) {
	pages := s.pages()
	index, died, all := map[string]int{}, int64(0), pages.Bytes()
	began, clock, instant := time.Now().Add(-s.sinceStop()), s.monotonic(), int64(0)
	if s.live {
		instant = clock()
	}
	for _, isolate := range pages.Isolates() {
		before := out.All()
		var found Requests
		var at int64
		for range maxWalks {
			h := pages.Of(isolate)
			if s.live && !h.Still() {
				pages = s.pages()
				h = pages.Of(isolate)
			}
			found, at = s.waits(h, rules, instant, func(read, _ uint64) {
				if progress != nil {
					progress(min(before+read, all), all)
				}
			})
			if !s.live || h.Still() {
				break
			}
		}
		out.add(&found, index)
		died = max(died, at)
	}
	out.Cut = out.Cut || pages.Cut
	if s.live {
		died = began.UnixNano()
	}
	for i := range out.Requests {
		q := &out.Requests[i]
		if q.Aged = q.Began > 0 && died > 0; q.Aged {
			q.Age = time.Duration(max(0, died-q.Began))
		}
	}
	return out
}

// add adds what was found in another isolate. index has where requests are by their keys.
func (q *Requests) add(found *Requests, index map[string]int) {
	for _, of := range found.Requests {
		key := of.key()
		at, ok := index[key]
		if !ok {
			index[key] = len(q.Requests)
			q.Requests = append(q.Requests, of)
			continue
		}
		q.Requests[at].Waits = append(q.Requests[at].Waits, of.Waits...)
	}
	q.More += found.More
	q.Walk.add(&found.Walk)
}

// waits walks the heap of an isolate once. What belongs to a wait is read as soon as that is found: a moment later it
// may be elsewhere, and another's in its place. instant is that of Finder.TellAt, died is Finder.Died.
func (s *Subject) waits(h *space.Heap, rules []reqctx.Rule, instant int64,
	progress Progress) (out Requests, died int64) {
	r := s.process.Heap()
	find := requests.New(r, s.types, s.monotonic())
	find.TellAt(instant)
	labels := NewLabelReader(s.process, rules)
	printer := &value.Printer{Heap: r, Types: s.types, Depth: 1}
	index, known := map[string]int{}, places{}
	done := 0
	out.Walk = s.walk(h, progress, func(o *space.Object) bool {
		find.Visit(o)
		for ; done < len(find.Waits); done++ {
			w := &find.Waits[done]
			wait := s.placed(w, known)
			if wait.forAll() {
				wait.Stores = nil
			}
			q := requestOf(printer, labels, &wait.Wait)
			q.Waits = []Wait{wait}
			out.add(&Requests{Requests: []Request{q}}, index)
		}
		return true
	})
	out.More = find.More
	return out, find.Died()
}

// monotonic is CLOCK_MONOTONIC as a process that runs has it; 0 where that cannot be told.
func (s *Subject) monotonic() func() int64 {
	if !s.live {
		return nil
	}
	ahead, ok := procs.ClockAhead(s.process.PID)
	if !ok {
		return func() int64 { return 0 }
	}
	return func() int64 { return sampler.Now() + int64(ahead-s.sinceStop()) }
}

// sinceStop is for how long the process has been stopped: its timers do not run on meanwhile.
func (s *Subject) sinceStop() time.Duration {
	if s.stopped.IsZero() {
		return 0
	}
	return time.Since(s.stopped)
}

// requestOf is the request that a wait belongs to, without its waits.
func requestOf(p *value.Printer, labels *LabelReader, w *requests.Wait) Request {
	q := Request{NotRead: w.NotRead}
	for _, e := range w.Stores {
		q.Stores = append(q.Stores, storeOf(p, e))
	}
	if labels != nil {
		q.Labels, q.Began = labels.Began(w.Stores)
	}
	return q
}

// keep leaves what was found before too.
func (q *Requests) keep(before *Requests) {
	found := map[string]int{}
	for i := range before.Requests {
		of := &before.Requests[i]
		for j := range of.Waits {
			found[of.same(&of.Waits[j])]++
		}
	}
	for i := range q.Requests {
		of := &q.Requests[i]
		of.Waits = slices.DeleteFunc(of.Waits, func(w Wait) bool {
			key := of.same(&w)
			if found[key]--; found[key] < 0 {
				q.Changed++
				return true
			}
			return false
		})
	}
	q.Requests = slices.DeleteFunc(q.Requests, func(of Request) bool { return len(of.Waits) == 0 })
	for _, n := range found {
		q.Changed += max(0, n)
	}
}

// same is what two looks at one thing that is waited for have in common, wherever its objects are by then.
func (q *Request) same(w *Wait) string {
	text := fmt.Sprint(q.Labels)
	if len(q.Labels) == 0 {
		for _, s := range q.Stores {
			text += s.Name + s.Text
		}
	}
	return fmt.Sprintf("%v %s %v %x %s %s:%d:%d %s", w.Sort, w.Kind, w.ID, w.Native, w.Name, w.File, w.Line, w.Column,
		text)
}

// key tells requests apart: by where their stores are, and by what they are, since another may be there by then.
func (q *Request) key() string {
	if q.NotRead != nil {
		return "not read"
	}
	key := fmt.Sprint(q.Labels)
	for _, s := range q.Stores {
		key += fmt.Sprintf("%x=%s=%s ", s.Address, s.Name, s.Text)
	}
	return key
}

func storeOf(p *value.Printer, e heap.Entry) RequestStore {
	out := RequestStore{Address: uint64(e.Value), Text: p.Print(e.Value)}
	if w, err := p.Heap.Named(e.Key, "#name"); err == nil {
		out.Name, _ = p.Heap.String(w, maxStoreName)
	}
	return out
}

// sort sorts requests by what they are, and in each the waits in their order.
func (q *Requests) sort() {
	rank := func(q *Request) int {
		switch {
		case len(q.Stores) == 0:
			return 2
		case q.Pending():
			return 1
		}
		return 0
	}
	first := func(q *Request) float64 {
		out := 0.0
		for _, w := range q.Waits {
			if w.ID > 0 && (out == 0 || w.ID < out) {
				out = w.ID
			}
		}
		return out
	}
	for i := range q.Requests {
		slices.SortStableFunc(q.Requests[i].Waits, func(a, b Wait) int {
			return cmp.Or(cmp.Compare(a.Sort, b.Sort), cmp.Compare(a.ID, b.ID), cmp.Compare(a.Object, b.Object))
		})
	}
	slices.SortStableFunc(q.Requests, func(a, b Request) int {
		return cmp.Or(cmp.Compare(rank(&a), rank(&b)), cmp.Compare(b.oldest(), a.oldest()),
			cmp.Compare(first(&a), first(&b)))
	})
}

// places are where functions are, or where they await, by what never changes of them: many wait at the same place.
type places map[placeKey]place

type placeKey struct {
	heap.Identity
	offset int
}

type place struct {
	name, file   string
	line, column int
}

// maxPlaces bounds the places that are remembered.
const maxPlaces = 1 << 14

// placed adds where the function is that goes on, or where it awaits.
func (s *Subject) placed(w *requests.Wait, known places) Wait {
	out := Wait{Wait: *w}
	r := s.process.Heap()
	shared, err := r.Shared(w.Function)
	if w.Function == 0 || err != nil {
		return out
	}
	f, err := r.Function(shared)
	if err != nil {
		return out
	}
	key := placeKey{f.Identity, w.Offset}
	at, ok := known[key]
	if !ok || f.Script == 0 {
		at = s.placeOf(w)
		if len(known) < maxPlaces {
			known[key] = at
		}
	}
	out.Name, out.File, out.Line, out.Column = at.name, at.file, at.line, at.column
	return out
}

// placeOf reads a place.
func (s *Subject) placeOf(w *requests.Wait) (at place) {
	f, err := s.Function(uint64(w.Function))
	if err != nil {
		return at
	}
	at = place{f.Name, f.File, f.Line, f.Column}
	if w.Offset >= 0 {
		names := functions.NewResolver(s.process.Heap(), s.process.Mappings)
		if f := names.Suspended(heap.Word(f.Shared), w.Offset); f != nil && f.Line > 0 {
			at.line, at.column = f.Line, f.Column
		}
	}
	return at
}
