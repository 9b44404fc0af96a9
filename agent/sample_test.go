package agent

import (
	"strings"
	"testing"

	"github.com/hotspan/hotspan/agent/internal/bpf"
)

// The numbers are those of enum stop in event.h; one that is not known must not end the profiler.
func TestStopNames(t *testing.T) {
	for stop := range 256 {
		got := stopNames[min(stop, len(stopNames)-1)]
		if (got == "root") != (stop == int(bpf.StopRoot)) || got == "" {
			t.Errorf("stop %d is %q", stop, got)
		}
	}
	if !strings.Contains(stopNames[bpf.StopDepth], "deep") {
		t.Errorf("%q", stopNames[bpf.StopDepth])
	}
}
