package judge

import (
	"slices"
	"time"

	"github.com/hotspan/hotspan/test/truth"
)

// vague is how far from the edges of an interval the truth may be wrong. The program reads the clock between two calls;
// before it continues it may wait for a CPU, for a collection or for the compiler.
const vague = 300 * time.Microsecond

// NearEdge reports whether an instant, CLOCK_MONOTONIC in nanoseconds, is at one of the edges of its interval.
func NearEdge(i truth.Interval, mono int64) bool {
	return mono < i.Start+int64(vague) || mono >= i.End-int64(vague)
}

// lateSamples tells which samples the timer took late: the CPU, which may be another virtual machine's at times, had
// stopped where the sample shows it. So long it may have been at the edge of an interval, between two readings of the
// clock. Such a sample comes later than others after the one before it, or sooner than others before the next.
func lateSamples(samples []Sample) []bool {
	late := make([]bool, len(samples))
	for _, thread := range byThread(samples) {
		distance := func(i int) int64 { return samples[thread[i+1]].T - samples[thread[i]].T }
		all := make([]int64, max(0, len(thread)-1))
		for i := range all {
			all[i] = distance(i)
		}
		if slices.Sort(all); len(all) == 0 {
			continue
		}
		usual := all[len(all)/2]
		for i := range all {
			switch d := distance(i); {
			case d > usual+int64(vague):
				late[thread[i+1]] = true
			case d < usual-int64(vague):
				late[thread[i]] = true
			}
		}
	}
	return late
}

// byThread returns the places of each thread's samples, in the order of their times.
func byThread(samples []Sample) map[int][]int {
	threads := map[int][]int{}
	for i := range samples {
		threads[samples[i].TID] = append(threads[samples[i].TID], i)
	}
	for _, thread := range threads {
		slices.SortStableFunc(thread, func(a, b int) int { return int(samples[a].T - samples[b].T) })
	}
	return threads
}
