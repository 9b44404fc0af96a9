package jobs

import (
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hotspan/hotspan/agent/internal/procs"
)

// newQueue makes a Queue of processes that are each of another user.
func newQueue() *Queue {
	q := New(func() {})
	q.userOf = func(pid int) procs.User { return procs.User(pid) }
	return q
}

// nothing is the result of a job that has none.
func nothing() {}

// TestOrder: the jobs of a process run in their order, one at a time, and so do their results. Those of others run
// meanwhile.
func TestOrder(t *testing.T) {
	const processes, each = 3 * maxWorkers, 50
	q := newQueue()
	defer q.Close()
	var mu sync.Mutex
	running, most, ran, drained := 0, 0, map[int][]int{}, map[int][]int{}
	for n := range each {
		for pid := 1; pid <= processes; pid++ {
			q.Run(pid, func() func() {
				mu.Lock()
				begun := len(ran[pid])
				running++
				most = max(most, running)
				mu.Unlock()
				time.Sleep(10 * time.Microsecond)
				mu.Lock()
				defer mu.Unlock()
				if running--; len(ran[pid]) != begun {
					t.Errorf("two jobs of process %d at a time", pid)
				}
				ran[pid] = append(ran[pid], n)
				return func() { drained[pid] = append(drained[pid], n) }
			})
		}
	}
	for q.Pending() > 0 {
		if !q.Wait(10 * time.Second) {
			t.Fatalf("%d jobs do not end", q.Pending())
		}
	}
	for pid := 1; pid <= processes; pid++ {
		if len(ran[pid]) != each || !slices.IsSorted(ran[pid]) || !slices.Equal(ran[pid], drained[pid]) {
			t.Errorf("process %d: ran %v, results %v", pid, ran[pid], drained[pid])
		}
	}
	if most < 2 || most > maxWorkers {
		t.Errorf("%d jobs at a time, want 2 to %d", most, maxWorkers)
	}
	for end := time.Now().Add(10 * time.Second); kept(q) > 0; time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("%d processes without jobs are kept", kept(q))
		}
	}
}

// kept is the number of processes that a queue knows.
func kept(q *Queue) int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.jobs)
}

// TestSlowJob: a process whose job does not end delays no other one, but its own jobs.
func TestSlowJob(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue()
		defer q.Close()
		const slow = 30 * time.Second
		began := time.Now()
		var after []time.Duration // that of the slow process last
		result := func() func() { return func() { after = append(after, time.Since(began)) } }
		q.Run(1, func() func() { time.Sleep(slow); return nothing })
		q.Run(1, result)
		for pid := 2; pid < 100; pid++ {
			q.Run(pid, result)
		}
		for q.Pending() > 0 {
			q.Wait(slow)
		}
		if n := len(after); n != 99 || after[n-2] != 0 || after[n-1] != slow {
			t.Errorf("results after %v", after)
		}
	})
}

// TestManySlowJobs: more processes with slow jobs than there are workers delay the others by slowAfter only, up to a
// number of slow ones, and when they have ended as many workers are left as before.
func TestManySlowJobs(t *testing.T) {
	for _, c := range []struct {
		processes int
		want      time.Duration
	}{{12, slowAfter}, {maxWorkers + maxSlow - 1, (maxSlow + maxWorkers - 1) / maxWorkers * slowAfter},
		{maxWorkers + maxSlow, time.Minute}} {
		synctest.Test(t, func(t *testing.T) {
			q := newQueue()
			defer q.Close()
			for pid := range c.processes {
				left := time.Minute - slowAfter*time.Duration(pid/maxWorkers) // until a minute has passed
				q.Run(pid+1, func() func() { time.Sleep(left); return nothing })
			}
			began, after := time.Now(), time.Duration(0)
			q.Run(c.processes+1, func() func() { after = time.Since(began); return nothing })
			for q.Pending() > 0 {
				q.Wait(time.Hour)
			}
			if after != c.want {
				t.Errorf("%d slow processes delay another by %v, want %v", c.processes, after, c.want)
			}
			began = time.Now()
			for pid := range 2 * maxWorkers {
				q.Run(pid, func() func() { time.Sleep(slowAfter / 2); return nothing })
			}
			for q.Pending() > 0 {
				q.Wait(time.Hour)
			}
			if took := time.Since(began); took != slowAfter || q.slow != 0 {
				t.Errorf("afterwards two jobs of each worker take %v, %d slow", took, q.slow)
			}
		})
	}
}

// TestFull: a queue that is full refuses jobs, and takes them again when results were drained.
func TestFull(t *testing.T) {
	q := newQueue()
	defer q.Close()
	end := make(chan struct{})
	for pid := range maxJobs {
		if !q.Run(pid, func() func() { <-end; return nothing }) {
			t.Fatalf("job %d was refused", pid)
		}
	}
	if !q.Full(1) || q.Run(1, func() func() { return nothing }) {
		t.Error("the queue takes one job more than it has room for")
	}
	if q.workers != maxWorkers {
		t.Errorf("%d workers, want %d", q.workers, maxWorkers)
	}
	close(end)
	for q.Pending() > 0 {
		q.Wait(10 * time.Second)
	}
	ran := false
	if !q.Run(1, func() func() { return func() { ran = true } }) || !q.Wait(10*time.Second) || !ran {
		t.Error("no job runs any more")
	}
}

// TestPost: what is posted runs on the goroutine that drains, and is no job.
func TestPost(t *testing.T) {
	notified := 0
	q := New(func() { notified++ })
	defer q.Close()
	ran := false
	q.Post(func() { ran = true })
	if ran || notified != 1 || q.Pending() != 0 {
		t.Errorf("it ran: %v, notified %d times, %d jobs", ran, notified, q.Pending())
	}
	if q.DrainResults(); !ran || q.Pending() != 0 {
		t.Errorf("it ran: %v, %d jobs", ran, q.Pending())
	}
}

// TestWaitAll: it waits for all jobs, and asks only while none finishes.
func TestWaitAll(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue()
		defer q.Close()
		for pid := range 4 {
			q.Run(pid, func() func() { time.Sleep(time.Duration(pid) * 1500 * time.Millisecond); return nothing })
		}
		began := time.Now()
		q.WaitAll(2*time.Second, func(time.Duration) bool { t.Error("it asks while jobs finish"); return true })
		if took := time.Since(began); took != 4500*time.Millisecond || q.Pending() != 0 {
			t.Errorf("%d jobs left after %v", q.Pending(), took)
		}
		q.Run(1, func() func() { time.Sleep(time.Minute); return nothing })
		var asked []time.Duration
		q.WaitAll(2*time.Second, func(after time.Duration) bool {
			asked = append(asked, after)
			return after >= 6*time.Second
		})
		if want := []time.Duration{2e9, 4e9, 6e9}; !slices.Equal(asked, want) || q.Pending() != 1 {
			t.Errorf("asked after %v, want %v; %d jobs", asked, want, q.Pending())
		}
		q.Wait(time.Hour)
	})
}

// TestUsers: one user's processes, as many as the queue takes of one user, whose jobs take as long as they may, keep
// those of another waiting only until they have what one user may have, and those of a third not at all then. No job of
// theirs is refused.
func TestUsers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := New(func() {})
		q.userOf = func(pid int) procs.User { return procs.User(pid / maxJobs) }
		defer q.Close()
		pid := 1
		for q.Run(pid, func() func() { time.Sleep(time.Minute); return nothing }) {
			pid++
		}
		if most := int(maxJobs * userJobs); pid != most+1 || !q.Full(1) {
			t.Errorf("%d jobs of one user are taken, want %d", pid-1, most)
		}
		const full = time.Duration((maxSlow + maxWorkers) * userRunning / maxWorkers * float64(slowAfter))
		for user, most := range []time.Duration{full, 0} {
			time.Sleep(slowAfter * 5 / 2)
			began, after := time.Now(), []time.Duration(nil)
			for n := range 2 * maxWorkers {
				if !q.Run((user+1)*maxJobs+n, func() func() {
					took := time.Since(began)
					return func() { after = append(after, took) }
				}) {
					t.Fatal("a job of another user is refused")
				}
			}
			for len(after) < 2*maxWorkers {
				if !q.Wait(time.Hour) {
					t.Fatal("no job ends")
				}
			}
			if last := slices.Max(after); last > most || after[0] > slowAfter {
				t.Errorf("jobs of another user end after %v to %v, want %v at most", after[0], last, most)
			}
		}
		for q.Pending() > 0 {
			q.Wait(time.Hour)
		}
	})
}
