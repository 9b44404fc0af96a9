package doctor

import (
	"math"
	"strings"
	"testing"
)

func TestPIDNamespace(t *testing.T) {
	if got := pidNamespace(true); got != nil {
		t.Errorf("%+v", got)
	}
	got := pidNamespace(false)
	if len(got) != 1 || got[0].Mark != Missing || !strings.Contains(got[0].Found, "PID namespace") {
		t.Errorf("%+v", got)
	}
}

// TestLockedMemory: of the limit that bounded BPF before Linux 5.11 nothing is said on later kernels.
func TestLockedMemory(t *testing.T) {
	for _, c := range []struct {
		release string
		limit   uint64
		missing bool
	}{
		{"5.10.0-8-amd64", 64 << 10, true}, {"4.18.0", 8 << 20, true}, {"5.10", math.MaxUint64, false},
		{"5.11.0", 64 << 10, false}, {"6.1.0", 0, false}, {"x", 0, false},
	} {
		got := lockedMemory(c.release, c.limit)
		if (len(got) == 1) != c.missing || c.missing && (got[0].Mark != Missing || got[0].Fix == "") {
			t.Errorf("%s, %d: %+v", c.release, c.limit, got)
		}
	}
}
