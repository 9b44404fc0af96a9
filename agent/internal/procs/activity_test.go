package procs

import (
	"os"
	"os/exec"
	"testing"
	"time"
)

// TestActivity: it is the same of a process that sleeps, and another one of one that has run.
func TestActivity(t *testing.T) {
	c := exec.Command("sh", "-c", "read line; read line")
	in, err := c.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	defer c.Wait()
	defer in.Close()
	asleep := func() string {
		for range 100 {
			before, _ := Activity(c.Process.Pid)
			time.Sleep(50 * time.Millisecond)
			if after, runs := Activity(c.Process.Pid); before != "" && before == after && !runs {
				return after
			}
		}
		t.Fatal("a process that reads from a pipe seems to run")
		return ""
	}
	before := asleep()
	if _, err := in.Write([]byte("\n")); err != nil {
		t.Fatal(err)
	}
	for end := time.Now().Add(10 * time.Second); ; time.Sleep(10 * time.Millisecond) {
		if after, _ := Activity(c.Process.Pid); after != before {
			break
		}
		if time.Now().After(end) {
			t.Fatal("a process that has read a line seems not to have run")
		}
	}
	if at, runs := Activity(os.Getpid()); at == "" || !runs { // this thread does
		t.Errorf("this process: %q, %v", at, runs)
	}
	if at, runs := Activity(-1); at != "" || runs {
		t.Errorf("no process: %q, %v", at, runs)
	}
}
