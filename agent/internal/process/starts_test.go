package process

import (
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/hotspan/hotspan/agent/internal/procs"
)

// TestRetriesWithoutV8: a process without V8 is inspected again nine times in three seconds, and one that runs the same
// executable later only twice. Another executable has nothing to do with it.
func TestRetriesWithoutV8(t *testing.T) {
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
	first, second, other := run("sleep", "60"), run("sleep", "60"), run("tail", "-f", "/dev/null")
	if n := len(s.retriesOf(first, now)); n != 9 {
		t.Errorf("%d retries of an executable that is not known", n)
	}
	s.without.Add(first)
	if again := s.retriesOf(second, now); len(again) != 2 || again[0].Sub(now) > 100*time.Millisecond {
		t.Errorf("retries %v of an executable that had no V8", again)
	}
	if n := len(s.retriesOf(other, now)); n != 9 {
		t.Errorf("%d retries of another executable", n)
	}
	if n := len(s.retriesOf(1<<30, now)); n != 9 {
		t.Errorf("%d retries of a process that is gone", n)
	}
}

// TestStarts: a process without V8 is inspected at the times of its schedule, and no more after the last, or when it
// has V8.
func TestStarts(t *testing.T) {
	s := NewStarts()
	start := time.Now()
	if !s.Next().IsZero() || s.Due(start) != nil {
		t.Error("something is due before a process was added")
	}
	const never, third, other = 1<<30 + 1, 1<<30 + 2, 1<<30 + 3
	for _, pid := range []int{never, third, other} {
		s.Add(pid, start)
	}
	s.Forget(func(pid int) bool { return pid != other })
	inspected := map[int]int{}
	for !s.Next().IsZero() {
		for _, pid := range s.Due(s.Next()) {
			inspected[pid]++
			s.Inspected(pid, pid == never || inspected[pid] < 3)
		}
	}
	if inspected[never] != 9 || inspected[third] != 3 || inspected[other] != 0 {
		t.Errorf("inspected %v times", inspected)
	}
	if len(s.again) != 0 || s.shares.All() != 0 {
		t.Errorf("%d are kept, %d are counted", len(s.again), s.shares.All())
	}
}

// TestStartsOfUser: a user who starts many processes leaves room for those of others.
func TestStartsOfUser(t *testing.T) {
	s, now := NewStarts(), time.Now()
	added := 0
	for pid := 1 << 30; pid < 1<<30+2*maxStarts; pid++ { // they are nobody's
		if s.Add(pid, now) {
			added++
		}
	}
	if added != maxStarts/2 || !s.Add(os.Getpid(), now) || !s.Add(os.Getpid(), now) {
		t.Errorf("%d processes of %d of one user, or none of another", added, maxStarts)
	}
}
