package e2e

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/hotspan/hotspan/test/draw"
	"github.com/hotspan/hotspan/test/truth/judge"
)

// TestThreads: workers, libuv's pool and every other thread are sampled, each under its name and in proportion to its
// CPU time, and samples of workers name what the worker ran.
func TestThreads(t *testing.T) {
	t.Parallel()
	eachNode(t, func(t *testing.T, node string) {
		p := start(t, node, "idle_workers.js", nil, nil)
		samples := recordEnoughJS(t, hotspan, p.PID, 997, 2000, 5*time.Second)
		l := p.truth(t)
		v := compare(t, samples, l)
		inTime(t, v.Right, "function right", 99, 1000)
		inTime(t, v.Callers, "caller right", 99, 1000)
		if v.Wrong > 0 {
			t.Errorf("%d wrong functions, want none", v.Wrong)
		}
		names, spent := map[string]string{}, map[string]float64{}
		for _, s := range samples {
			names[thread(s.TID)] = s.Thread
		}
		for _, want := range l.Threads {
			tid := thread(want.TID)
			spent[tid] = float64(want.CPU)
			name := want.Comm
			if want.TID != p.PID && strings.HasSuffix(name, "MainThread") {
				name += " (another)"
			}
			if names[tid] != "" && names[tid] != name {
				t.Errorf("%s is called %q, want %q", tid, names[tid], name)
			}
		}
		portions(t, "thread", judge.Counted(samples, func(s *judge.Sample) string { return thread(s.TID) }), spent)
	})
}

// TestWorkersOfOtherFiles: V8 gives the functions of one worker the numbers that others have in another, at the same
// time or later. Samples name the functions of their own worker.
func TestWorkersOfOtherFiles(t *testing.T) {
	draw.Quarter(t, seldom)
	t.Parallel()
	eachNode(t, func(t *testing.T, node string) {
		p := start(t, node, "other_files.js", nil, nil)
		samples := recordEnoughJS(t, hotspan, p.PID, 997, 2000, 5*time.Second)
		l := p.truth(t)
		atLeast(t, compare(t, samples, l).Right, "function right", 95, 1000)
		ran := map[int]string{}
		for _, i := range l.Intervals {
			ran[i.TID] = i.Stack[0].Function
		}
		wrong := 0
		for _, s := range samples {
			for _, f := range s.Stack {
				if strings.HasPrefix(f.F, "burn_") && f.F != ran[s.TID] {
					wrong++
				}
			}
		}
		if wrong > 0 {
			t.Errorf("%d frames of the other worker's function, want none", wrong)
		}
	})
}

func thread(tid int) string { return fmt.Sprintf("thread %d", tid) }
