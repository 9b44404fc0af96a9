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

// TestOtherClock: this process has its own clock, and a child in another time namespace has not.
func TestOtherClock(t *testing.T) {
	if OtherClock(os.Getpid()) {
		t.Error("this process has another clock than itself")
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
			if !OtherClock(pid) {
				t.Error("a child in another time namespace has this clock")
			}
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
	t.Error("there is no child")
}
