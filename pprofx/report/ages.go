package report

import (
	"slices"
	"strings"

	"github.com/hotspan/hotspan/pprofx"
)

// Ages compares the requests that are seen at some age with the others of their route. Samples know how old their
// request is, not how long it will take: a request that has no sample at that age or later counts among the others,
// even if it took longer. It keeps 24 bytes for each sample. It is not safe for concurrent use. Use NewAges to make
// one.
type Ages struct {
	limit    int64
	unknown  int64 // samples without a start
	requests []agedRequest
	numbers  map[requestKey]int32
	samples  []agedSample
	places   interned[place]
}

// requestKey tells requests apart: a trace may have several in one process.
type requestKey struct {
	pid   int32
	start int64
	trace string
}

// agedRequest is a request. Its route may be known from some point on only.
type agedRequest struct {
	route string
	age   int64 // the greatest, in nanoseconds
	at    int32 // its number among those of its route and side
}

// agedSample is a sample of a request. function and path are places.
type agedSample struct {
	request, function, path int32
	class                   Class
	period                  int64
}

// interned gives equal values one number.
type interned[T comparable] struct {
	all     []T
	numbers map[T]int32
}

func (n *interned[T]) number(of T) int32 {
	i, ok := n.numbers[of]
	if !ok {
		i = int32(len(n.all))
		n.all = append(n.all, of)
		n.numbers[of] = i
	}
	return i
}

// NewAges returns an Ages for requests seen at an age of limit nanoseconds or more.
func NewAges(limit int64) *Ages {
	return &Ages{
		limit: limit, numbers: map[requestKey]int32{}, places: interned[place]{numbers: map[place]int32{}},
	}
}

// Add adds a snapshot.
func (a *Ages) Add(s *pprofx.Snapshot) {
	type numbers struct{ function, path int32 }
	stacks := make([]numbers, len(s.Stacks))
	for i, stack := range s.Stacks {
		function, path := callPath(s, stack)
		stacks[i] = numbers{a.places.number(function), a.places.number(path)}
	}
	for i := range s.Rows {
		r := &s.Rows[i]
		if r.Start == 0 {
			a.unknown++
			continue
		}
		labels, of := s.LabelSets[r.Labels], stacks[r.Stack]
		number := a.request(requestKey{r.PID, r.Start, value(labels, traceLabel)})
		q := &a.requests[number]
		q.age = max(q.age, r.Time-r.Start)
		if route := value(labels, routeLabel); route != "" {
			q.route = route
		}
		a.samples = append(a.samples, agedSample{number, of.function, of.path, classOf(s, r), s.Period})
	}
}

func (a *Ages) request(key requestKey) int32 {
	i, ok := a.numbers[key]
	if !ok {
		i = int32(len(a.requests))
		a.requests = append(a.requests, agedRequest{})
		a.numbers[key] = i
	}
	return i
}

// callPath returns the own function of a stack, and the JavaScript calls that lead to it, root first, but for Node's
// own.
func callPath(s *pprofx.Snapshot, stack []int32) (own, path place) {
	if len(stack) == 0 {
		own = placeOf(noStack)
		return own, own
	}
	at := ownIndex(s, stack)
	own = placeOf(s.Frames[stack[at]])
	names := []string{own.name}
	for _, i := range stack[at+1:] {
		if f := s.Frames[i]; f.Kind == pprofx.JS && !strings.HasPrefix(f.File, "node:") {
			names = append(names, f.Function)
		}
	}
	slices.Reverse(names)
	return own, place{name: strings.Join(names, CallMark), file: own.file}
}

// CallMark stands between the functions of a call path.
const CallMark = " › "
