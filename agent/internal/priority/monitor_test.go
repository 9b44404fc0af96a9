package priority

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"
)

// TestEaseMonitor: the thread whose timers may be late is the one that wakes again and again while a goroutine runs.
func TestEaseMonitor(t *testing.T) {
	slack := func() string {
		b, err := os.ReadFile(fmt.Sprintf("/proc/%d/timerslack_ns", monitor()))
		if err != nil {
			t.Fatal(err)
		}
		return strings.TrimSpace(string(b))
	}
	const wakeups = 10
	before, end := sleeps(t), time.Now().Add(10*time.Second)
	for sleeps(t) < before+wakeups && time.Now().Before(end) {
		for since := time.Now(); time.Since(since) < 10*time.Millisecond; { // no system call
		}
	}
	if n := sleeps(t) - before; n < wakeups {
		t.Errorf("while a goroutine runs, the thread wakes %d times", n)
	}
	normal := slack()
	undo := EaseMonitor()
	if got := slack(); got != fmt.Sprint(int64(monitorSlack)) {
		t.Errorf("the slack is %s ns", got)
	}
	undo()
	if got := slack(); got != normal {
		t.Errorf("the slack is %s ns afterwards, before it was %s", got, normal)
	}
}

// sleeps is how often the monitor has slept.
func sleeps(t *testing.T) (n int) {
	t.Helper()
	b, err := os.ReadFile(fmt.Sprintf("/proc/self/task/%d/status", monitor()))
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(b), "\nvoluntary_ctxt_switches:")
	if _, err := fmt.Sscan(rest, &n); err != nil {
		t.Fatal(err)
	}
	return n
}
