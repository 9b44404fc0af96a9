package agent

import (
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
	a, now := &Agent{}, time.Now()
	first, second, other := run("sleep", "60"), run("sleep", "60"), run("tail", "-f", "/dev/null")
	if n := len(a.retriesOf(first, now)); n != 9 {
		t.Errorf("%d retries of an executable that is not known", n)
	}
	a.withoutV8.Add(first)
	if s := a.retriesOf(second, now); len(s) != 2 || s[0].Sub(now) > 100*time.Millisecond {
		t.Errorf("retries %v of an executable that had no V8", s)
	}
	if n := len(a.retriesOf(other, now)); n != 9 {
		t.Errorf("%d retries of another executable", n)
	}
	if n := len(a.retriesOf(1<<30, now)); n != 9 {
		t.Errorf("%d retries of a process that is gone", n)
	}
}
