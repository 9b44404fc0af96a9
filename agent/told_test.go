package agent

import (
	"os"
	"testing"
	"time"

	"github.com/hotspan/hotspan/agent/internal/sampler"
	"github.com/hotspan/hotspan/test/nodes/live"
)

// attachedToIdle is an agent that has attached to an idle process, and does not sample it.
func attachedToIdle(t *testing.T) (*Agent, *target) {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Fatal("this test loads BPF programs: run it as root")
	}
	pid := live.Start(t, "24.21.0", "-e", `process.stdin.on('end', process.exit).resume(); console.error('ready')`).PID
	a, err := New(Config{Select: Selection{PIDs: []int{pid}}, Rate: 99})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(a.Close)
	return a, a.targets[pid]
}

// TestMappingsOnceMore: when the BPF program has been told of mappings, they are read once more, since until then it
// has noticed nothing that replaces new code; and once only.
func TestMappingsOnceMore(t *testing.T) {
	a, of := attachedToIdle(t)
	take := func() int64 {
		for deadline := time.Now().Add(time.Minute); of.code.Reading() && time.Now().Before(deadline); {
			a.takeV8(of)
			time.Sleep(time.Millisecond)
		}
		return of.symbolizer.Mapped()
	}
	begun := of.symbolizer.Mapped()
	first := take()
	if again := take(); first <= begun || again != first {
		t.Errorf("read at %d, then at %d and %d", begun, first, again)
	}
	told := sampler.Now()
	if a.republish(of); take() < told {
		t.Error("the mappings are not read again after they were told")
	}
}
