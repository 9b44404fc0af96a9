package profiling

import (
	"strings"
	"testing"
	"time"
)

// TestHeldBack: microseconds in which timers are enabled are nothing, and longer times are said.
func TestHeldBack(t *testing.T) {
	if d, line := HeldBack(40 * time.Microsecond); d != 0 || line != "" {
		t.Errorf("%v, %q", d, line)
	}
	const want = "the kernel held the timer back for 2.500 s, all CPUs together: "
	if d, line := HeldBack(2500 * time.Millisecond); d != 2500*time.Millisecond || !strings.HasPrefix(line, want) {
		t.Errorf("%v, %q", d, line)
	}
}
