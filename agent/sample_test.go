package agent

import (
	"strings"
	"testing"

	"github.com/hotspan/hotspan/agent/internal/bpf"
	"github.com/hotspan/hotspan/pprofx"
)

// The numbers are those of enum stop in event.h; one that is not known must not end the profiler.
func TestStopReasons(t *testing.T) {
	for stop := range 256 {
		got := stopReasons[min(stop, len(stopReasons)-1)]
		if (got == pprofx.StopRoot) != (stop == int(bpf.StopRoot)) || got.String() == "" {
			t.Errorf("stop %d is %q", stop, got)
		}
	}
	if !strings.Contains(stopReasons[bpf.StopDepth].String(), "deep") {
		t.Errorf("%q", stopReasons[bpf.StopDepth])
	}
}
