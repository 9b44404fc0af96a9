package viewers

import "github.com/hotspan/hotspan/pprofx"

// request is what labels say of one. What is unknown is empty.
type request struct{ route, trace string }

func requestOf(labels []pprofx.Label) request {
	var r request
	for i := range labels {
		switch l := &labels[i]; l.Key {
		case "http.route":
			r.route = l.Str
		case "trace_id":
			r.trace = l.Str
		}
	}
	return r
}

// The requests that are always there, and do not count towards the limit.
const (
	noRequest = iota
	fixedRequests
)

// requests interns requests: equal ones have the same number.
type requests struct {
	max       int
	list      []request
	byRequest map[request]int32
	left      pprofx.LeftOut
}

func newRequests(limit int) *requests {
	return &requests{max: limit, list: []request{{}}, byRequest: map[request]int32{{}: noRequest}}
}

// numbers returns the number of the request of each set of labels, and what a sample with that set lacks. Beyond the
// limit it is noRequest.
func (r *requests) numbers(sets [][]pprofx.Label) (ids []int32, left []pprofx.LeftOut) {
	ids, left = make([]int32, len(sets)), make([]pprofx.LeftOut, len(sets))
	for i, labels := range sets {
		q := requestOf(labels)
		id, ok := r.byRequest[q]
		switch {
		case !ok && len(r.list) >= fixedRequests+r.max:
			left[i].Labels = 1
			continue
		case !ok:
			id = int32(len(r.list))
			r.list = append(r.list, q)
			r.byRequest[q] = id
		}
		ids[i], left[i] = id, pprofx.LeftOutOf(labels)
	}
	return ids, left
}
