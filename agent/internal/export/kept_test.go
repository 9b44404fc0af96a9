package export

import (
	"errors"
	"strings"
	"testing"
)

// That a disk does not keep where a destination is, is said when it begins and when it ends, not with each snapshot.
func TestTellKept(t *testing.T) {
	_, d, log := fixture(t, &receiver{}, nil)
	full := errors.New("the disk is full")
	for _, err := range []error{nil, full, full, full, nil, nil} {
		d.tellKept(err)
	}
	if lines := strings.Split(strings.TrimSpace(log.String()), "\n"); len(lines) != 2 ||
		!strings.Contains(lines[0], "is not kept") || !strings.Contains(lines[1], "kept again") {
		t.Errorf("%q", lines)
	}
}
