package procs

import (
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"
)

// TestClockAhead: the clock of a child in another time namespace is ahead by what that was made with.
func TestClockAhead(t *testing.T) {
	if ahead, ok := ClockAhead(os.Getpid()); ahead != 0 || !ok {
		t.Errorf("this process is ahead by %v, %v", ahead, ok)
	}
	c := exec.Command("unshare", "--time", "--monotonic", "1000", "--fork", "--kill-child", "sleep", "60")
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	defer c.Wait()
	defer c.Process.Kill()
	children := fmt.Sprintf("/proc/%d/task/%d/children", c.Process.Pid, c.Process.Pid)
	for range 100 {
		b, err := os.ReadFile(children)
		if err != nil {
			t.Fatal(err)
		}
		if pid, err := strconv.Atoi(strings.TrimSpace(string(b))); err == nil {
			if ahead, ok := ClockAhead(pid); ahead != 1000*time.Second || !ok {
				t.Errorf("the child is ahead by %v, %v", ahead, ok)
			}
			if _, ok := ClockAhead(c.Process.Pid); ok {
				t.Error("the parent, whose children are in another namespace, has a known clock")
			}
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
	t.Error("there is no child")
}
