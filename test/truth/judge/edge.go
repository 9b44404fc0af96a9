package judge

import (
	"math"
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

// MostEdge is how much of the samples in intervals may be at the edges without being compared, as a part of 1.
//
// What is excused contradicts the log. All of it could be hidden there that is within vague of an edge: a quarter of
// the intervals of functions.js, which take 2 ms on average. But between two intervals a program runs some 10 µs of its
// own code, for the clock and for its choice of the next, and truth.Guard leaves out more than that. What is excused is
// where this took longer, in V8's compiler or collector or while another thread had the CPU. Of 2 ms, 1 % are 20 µs:
// one interval in ten that began or ended 200 µs late. Programs with longer intervals have less.
const MostEdge = 0.01

// TooVague reports whether the share of samples that were excused is larger than MostEdge. Four standard deviations of
// so small a count are chance.
func TooVague(excused Share) bool {
	most := MostEdge * float64(excused.Whole)
	return float64(excused.Part) > most+4*math.Sqrt(most)
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
