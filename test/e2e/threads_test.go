package e2e

import (
	"math"
	"testing"
	"time"
)

// TestThreads: workers, libuv's pool and every other thread are sampled, each under its name, each with the share of the
// samples that it has of the CPU time, and samples of workers name what the worker ran.
func TestThreads(t *testing.T) {
	eachNode(t, func(t *testing.T, node string) {
		p := start(t, node, "idle_workers.js", nil, []string{"DURATION_MS=12000"})
		samples := record(t, p.PID, 499, 60*time.Second) // until the program ends
		l := p.truth(t)
		v := compare(t, samples, l)
		atLeast(t, v.Right, "function right", 99, 1000)
		if v.Wrong > 0 {
			t.Errorf("%d wrong functions, want none", v.Wrong)
		}
		count, names := map[int]int{}, map[int]string{}
		for _, s := range samples {
			count[s.TID]++
			names[s.TID] = s.Thread
		}
		all := 0.0
		for _, thread := range l.Threads {
			all += float64(thread.CPU)
		}
		n := float64(len(samples))
		for _, thread := range l.Threads {
			want, got := float64(thread.CPU)/all, float64(count[thread.TID])/n
			if math.Abs(got-want) > 4*math.Sqrt(want*(1-want)/n)+0.01 {
				t.Errorf("thread %d %s: %.3f of the samples, want %.3f, its part of the CPU time", thread.TID, thread.Comm, got, want)
			}
			if count[thread.TID] > 0 && names[thread.TID] != thread.Comm {
				t.Errorf("thread %d is called %q, want %q", thread.TID, names[thread.TID], thread.Comm)
			}
		}
	})
}
