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
	if got := Unsampled(99*time.Millisecond) + Unsampled(2940*time.Millisecond); got !=
		"processes that started had used 2.94 s of CPU before hotspan sampled them\n" {
		t.Errorf("%q", got)
	}
	const want = "the kernel held the timer back for 2.500 s, all CPUs together: "
	if d, line := HeldBack(2500 * time.Millisecond); d != 2500*time.Millisecond || !strings.HasPrefix(line, want) {
		t.Errorf("%v, %q", d, line)
	}
}
