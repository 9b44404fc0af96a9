package process

import (
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/hotspan/hotspan/agent/internal/procs"
)

// TestPostpone: processes of an executable are postponed when three had no V8, or one had none long after its start,
// unless one has got V8 from a library. Another executable has nothing to do with it.
func TestPostpone(t *testing.T) {
	run := func(name string, args ...string) int {
		c := exec.Command(name, args...)
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { c.Process.Kill(); c.Wait() })
		for end := time.Now().Add(5 * time.Second); ; { // until execve has been called
			path, err := procs.Executable(c.Process.Pid)
			if want, _ := procs.Identify(c.Path); err == nil && want.Path == path {
				return c.Process.Pid
			}
			if time.Now().After(end) {
				t.Fatalf("%s does not start: it is %s (%v)", name, path, err)
			}
		}
	}
	s, now := NewStarts(), time.Now()
	sleep, again, tail := run("sleep", "60"), run("sleep", "60"), run("tail", "-f", "/dev/null")
	for n := range enough {
		if s.Postpone(again, now) {
			t.Errorf("postponed after %d without V8", n)
		}
		s.Add(sleep, now, false)
	}
	if !s.Postpone(again, now) || !s.Next().After(now) || s.Next().Sub(now) > 100*time.Millisecond {
		t.Errorf("not postponed after %d without V8, but at %v", enough, s.Next())
	}
	if s.Postpone(tail, now) || s.Postpone(1<<30, now) {
		t.Error("another executable, or a process that is gone, is postponed")
	}
	s.Add(tail, now, false)
	for s.again[tail] != nil {
		s.Due(s.Next())
		s.Inspected(tail, ErrNotNode)
	}
	if !s.Postpone(tail, now) {
		t.Error("not postponed after one that had no V8 for seconds")
	}
	s.Inspected(tail, nil)
	s.Add(tail, now, false)
	if s.Postpone(tail, now) {
		t.Error("postponed though one has got V8")
	}
}

// TestUnsampledStart: the CPU time is returned that a process had used until it was sampled with V8, unless it was
// sampled before.
func TestUnsampledStart(t *testing.T) {
	s, now, pid := NewStarts(), time.Now(), os.Getpid()
	for _, c := range []struct {
		sampled bool
		err     error
		counts  bool
	}{{false, nil, true}, {false, ErrNotNode, false}, {true, nil, false}} {
		before := procs.CPUTime(pid)
		s.Add(pid, now, c.sampled)
		got := s.Inspected(pid, c.err)
		if got != 0 && got < before || (got != 0) != c.counts {
			t.Errorf("%+v: %v, of %v", c, got, before)
		}
	}
	if got := s.Inspected(1<<30, nil); got != 0 {
		t.Errorf("unknown: %v", got)
	}
}

// TestStarts: a process without V8 is inspected at the times of its schedule, and no more after the last, when it has
// V8, or when it has ended.
func TestStarts(t *testing.T) {
	s := NewStarts()
	start := time.Now()
	if !s.Next().IsZero() || s.Due(start) != nil {
		t.Error("something is due before a process was added")
	}
	never, third, other, ended := os.Getpid(), os.Getppid(), 1, 1<<30
	for _, pid := range []int{never, third, other, ended} {
		s.Add(pid, start, false)
	}
	s.Forget(func(pid int) bool { return pid != other })
	inspected := map[int]int{}
	for !s.Next().IsZero() {
		for _, pid := range s.Due(s.Next()) {
			inspected[pid]++
			err := ErrNotNode
			if pid == third && inspected[pid] == 3 {
				err = nil
			}
			s.Inspected(pid, err)
		}
	}
	if inspected[never] != 9 || inspected[third] != 3 || inspected[other] != 0 || inspected[ended] != 0 {
		t.Errorf("inspected %v times", inspected)
	}
	if len(s.again) != 0 || s.shares.All() != 0 {
		t.Errorf("%d are kept, %d are counted", len(s.again), s.shares.All())
	}
}

// TestStartsOfUser: a user who starts many processes leaves room for those of others.
func TestStartsOfUser(t *testing.T) {
	s, now := NewStarts(), time.Now()
	said := 0
	for pid := 1 << 30; pid < 1<<30+2*maxStarts; pid++ { // they are nobody's
		if s.Add(pid, now, false) {
			said++
		}
	}
	added := len(s.again)
	if s.Add(os.Getpid(), now, false); added != maxStarts/2 || len(s.again) != added+1 || said != 1 {
		t.Errorf("%d processes of %d of one user, %d with another's, said %d times",
			added, maxStarts, len(s.again), said)
	}
}
