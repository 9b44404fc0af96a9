package functions

import "time"

// maxKept bounds what is kept of one process, in bytes. How many functions, scripts and the like there are is bounded
// too, but how much one of them takes is up to the process.
const maxKept = 64 << 20

// Of a process that makes new code all the time, as some template engines do, most of what is kept is never needed
// again. So all is forgotten once it is more than freshBytes, and twice what was read within freshFor of the last time:
// a large program that goes on with the same code keeps it.
const (
	freshBytes = 16 << 20
	freshFor   = 5 * time.Minute
)

// What a function, a script or a frame takes at least, in bytes.
const (
	functionSize = 256
	frameSize    = 192
)

// room is how much is kept. Where it is short nothing more is read that would be kept, so it is exceeded by one table
// at most.
type room struct {
	taken int
	since int64 // when stale was called first, in nanoseconds
	fresh int   // what was taken freshFor later; 0: not known yet
}

func (r *room) take(n int)  { r.taken += n }
func (r *room) short() bool { return r.taken > maxKept }

// stale reports whether most of what is kept is likely to be of no use any more. now is in nanoseconds, of any clock.
func (r *room) stale(now int64) bool {
	switch {
	case r.since == 0:
		r.since = now
	case r.fresh == 0 && now-r.since > int64(freshFor):
		r.fresh = r.taken
	}
	return r.fresh > 0 && r.taken > max(freshBytes, 2*r.fresh)
}
