package truth

import (
	"sort"
	"time"
)

// Guard is how far from the edges of an interval a sample must be to be compared with it. The program reads the clock a
// little before and after the work of the interval.
const Guard = 50 * time.Microsecond

// At returns what thread tid ran at ns, CLOCK_MONOTONIC in nanoseconds. It is false if that is not known: between
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

// Mono converts Unix time to CLOCK_MONOTONIC, both in nanoseconds, by the first reading of the two clocks. hotspan also
// takes their difference once, shortly after that: while both run, the wall clock may be slewed.
func (l *Log) Mono(unix int64) int64 {
	first := l.Clocks[0]
	return unix - first.Unix + first.Mono
}

// Unix is the inverse of Mono.
func (l *Log) Unix(mono int64) int64 {
	first := l.Clocks[0]
	return mono - first.Mono + first.Unix
}
