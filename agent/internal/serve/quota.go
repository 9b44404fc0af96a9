package serve

import (
	"sync"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// quota bounds what runs at the same time. Callers that may have everything have one of their own, so that nobody can
// keep them out.
type quota struct {
	max, maxUser int
	stay         time.Duration // for which a place of one that may not is taken, at least: to begin takes CPU time

	mu     sync.Mutex
	total  map[bool]int // by whether the caller may have everything
	byUser map[uint32]int
}

func newQuota(max, maxUser int, stay time.Duration) *quota {
	return &quota{max: max, maxUser: maxUser, stay: stay, total: map[bool]int{}, byUser: map[uint32]int{}}
}

// take takes a place, which the caller gives back by end.
func (q *quota) take(who caller) (end func(), err error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.total[who.all] >= q.max || !who.all && q.byUser[who.uid] >= q.maxUser {
		return nil, status.Error(codes.ResourceExhausted, "too many requests are under way: try again later")
	}
	q.add(who, 1)
	from := time.Now()
	return func() {
		if left := q.stay - time.Since(from); left > 0 && !who.all {
			time.AfterFunc(left, func() { q.give(who) })
			return
		}
		q.give(who)
	}, nil
}

func (q *quota) give(who caller) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.add(who, -1)
}

func (q *quota) add(who caller, n int) {
	q.total[who.all] += n
	if who.all {
		return
	}
	if q.byUser[who.uid] += n; q.byUser[who.uid] == 0 {
		delete(q.byUser, who.uid)
	}
}
