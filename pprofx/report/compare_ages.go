package report

import (
	"cmp"
	"slices"

	"github.com/hotspan/hotspan/pprofx/report/chance"
)

// AgeComparison is what requests seen at some age use more of than the others of their route. What they use less of is
// not in it: of fast requests only those are seen that a sample hit, so that they seem to use more than they do. What
// slower ones use more of is therefore rather too little.
type AgeComparison struct {
	Age      int64       `json:"age"`      // in nanoseconds
	Samples  int64       `json:"samples"`  // of requests whose start is known
	Unknown  int64       `json:"unknown"`  // the other ones
	Compared int         `json:"compared"` // rows with enough samples to tell anything
	Routes   []RouteAges `json:"routes"`   // those with slower requests, the most CPU time of these first
}

// RouteAges is the comparison for a route. In each Change, old is of the others and new of the slower requests, in
// seconds of CPU time for a request. Tables have the rows of which slower requests use more, the greatest difference
// first. A function or path is certain by its CPU time, or by how many requests have a sample of it.
type RouteAges struct {
	Route     string   `json:"route"` // empty for requests without one
	Slower    AgeGroup `json:"slower"`
	Others    AgeGroup `json:"others"`
	Whole     *Change  `json:"whole,omitempty"`
	Classes   []Change `json:"classes"`
	Functions []Change `json:"functions"` // of their own, with what V8, Node and the kernel did for them
	Paths     []Change `json:"paths"`     // by the calls that lead there, but for Node's own, with CallMark between
}

// AgeGroup is requests of a route.
type AgeGroup struct {
	Requests int64   `json:"requests"` // that have a sample
	Samples  int64   `json:"samples"`
	CPU      float64 `json:"cpu"` // seconds of CPU time of all
	Age      float64 `json:"age"` // seconds from the start of a request to its last sample, on the average
}

// agedSide is the requests of a route that are slower, or the others. A slice of its series is one request, or several
// that follow each other.
type agedSide struct {
	group                              AgeGroup
	perSlice                           int32
	whole                              *series
	wholes, classes, functions, byPath rows
}

func newAgedSide() *agedSide {
	s := &agedSide{whole: &series{}, classes: rows{}, functions: rows{}, byPath: rows{}}
	s.wholes = rows{place{}: s.whole}
	return s
}

// agedRoute has the others of a route, and its slower requests.
type agedRoute [2]*agedSide

// Compare compares what was added.
func (a *Ages) Compare() *AgeComparison {
	out := &AgeComparison{Age: a.limit, Samples: int64(len(a.samples)), Unknown: a.unknown}
	routes := a.routes()
	var compared []*RouteAges
	tables := map[*RouteAges][4][]*Change{}
	c := comparer{scale: 1e-9}
	for name, sides := range routes {
		if sides[1].group.Requests == 0 {
			continue
		}
		r := &RouteAges{Route: name, Others: sides[0].group, Slower: sides[1].group}
		c.before, c.after = sides[0].exposure(), sides[1].exposure()
		c.oldWeight, c.newWeight = sides[0].whole.weight(), sides[1].whole.weight()
		tables[r] = [4][]*Change{
			c.table(sides[0].wholes, sides[1].wholes), c.table(sides[0].classes, sides[1].classes),
			c.table(sides[0].functions, sides[1].functions), c.table(sides[0].byPath, sides[1].byPath),
		}
		compared = append(compared, r)
	}
	out.Compared = len(c.judged)
	c.judge()
	for r, t := range tables {
		if whole := more(t[0]); len(whole) > 0 {
			r.Whole = &whole[0]
		}
		r.Classes, r.Functions, r.Paths = more(t[1]), more(t[2]), more(t[3])
	}
	out.Routes = inOrder(compared, func(a, b *RouteAges) int {
		return cmp.Or(cmp.Compare(b.Slower.CPU, a.Slower.CPU), cmp.Compare(a.Route, b.Route))
	})
	return out
}

// more returns the rows of which the new side has more, in order.
func more(all []*Change) []Change {
	return inOrder(slices.DeleteFunc(all, func(c *Change) bool { return c.New <= c.Old }), (*Change).compare)
}

// routes adds the samples up by route and side.
func (a *Ages) routes() map[string]agedRoute {
	out := map[string]agedRoute{}
	for i := range a.requests {
		q := &a.requests[i]
		if out[q.route][0] == nil {
			out[q.route] = agedRoute{newAgedSide(), newAgedSide()}
		}
		g := &a.side(out, q).group
		q.at = int32(g.Requests)
		g.Requests++
		g.Age += float64(q.age) / 1e9
	}
	for _, sides := range out {
		for _, s := range sides {
			s.group.Age /= float64(max(s.group.Requests, 1))
			s.perSlice = int32((s.group.Requests + mostSlices - 1) / mostSlices)
		}
	}
	slices.SortStableFunc(a.samples, func(x, y agedSample) int { return cmp.Compare(x.request, y.request) })
	for _, x := range a.samples {
		q := &a.requests[x.request]
		a.side(out, q).add(q, &x, a.places.all)
	}
	return out
}

func (a *Ages) side(routes map[string]agedRoute, q *agedRequest) *agedSide {
	if q.age >= a.limit {
		return routes[q.route][1]
	}
	return routes[q.route][0]
}

// add adds a sample of a request that is not before those of other samples.
func (s *agedSide) add(q *agedRequest, x *agedSample, places []place) {
	at := q.at / s.perSlice
	s.group.Samples++
	s.group.CPU += float64(x.period) / 1e9
	s.whole.add(at, x.period)
	s.classes.add(place{name: x.class.String()}, at, x.period)
	for _, part := range []struct {
		of  rows
		key place
	}{{s.functions, places[x.function]}, {s.byPath, places[x.path]}} {
		part.of.add(part.key, at, x.period)
		part.of[part.key].has(q.at, at)
	}
}

// has counts a request that has some of it. Those that come later have greater numbers.
func (s *series) has(request, at int32) {
	n := len(s.having)
	if n > 0 && s.last == request {
		return
	}
	s.last = request
	if n > 0 && s.having[n-1].Slice == at {
		s.having[n-1].Amount++
		return
	}
	s.having = append(s.having, chance.Point{Slice: at, Amount: 1})
}

// exposure is the number of requests in each slice.
func (s *agedSide) exposure() chance.Exposure {
	var out chance.Exposure
	for left := s.group.Requests; left > 0; left -= int64(s.perSlice) {
		out = append(out, float64(min(left, int64(s.perSlice))))
	}
	return out
}
