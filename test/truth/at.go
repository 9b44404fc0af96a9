package truth

import (
	"sort"
	"time"
)

// Guard is how far from the edges of an interval a sample must lie to be compared with it: the program reads the
// clock a little before and after the work that the interval is about.
const Guard = 50 * time.Microsecond

// At returns what thread tid ran at ns, CLOCK_MONOTONIC in nanoseconds. It is false where that is not known: between
// intervals, and within Guard of the edges of one.
func (l *Log) At(ns int64, tid int) (Interval, bool) {
	list := l.threads[tid]
	next := sort.Search(len(list), func(i int) bool { return list[i].Start > ns })
	if next == 0 {
		return Interval{}, false
	}
	found := list[next-1]
	inside := ns >= found.Start+int64(Guard) && ns < found.End-int64(Guard)
	if !inside {
		return Interval{}, false
	}
	return found, true
}

// AtUnix is At for Unix time in nanoseconds.
func (l *Log) AtUnix(ns int64, tid int) (Interval, bool) {
	return l.At(l.Mono(ns), tid)
}

// Mono turns Unix time into CLOCK_MONOTONIC, both in nanoseconds, by the first reading of the two clocks. hotspan takes
// their difference once too, when it starts, which is soon after that: while both run, the wall clock may be slewed.
func (l *Log) Mono(unix int64) int64 {
	first := l.Clocks[0]
	return unix - first.Unix + first.Mono
}

// Unix turns CLOCK_MONOTONIC into Unix time, as Mono does the other way.
func (l *Log) Unix(mono int64) int64 {
	first := l.Clocks[0]
	return mono - first.Mono + first.Unix
}
