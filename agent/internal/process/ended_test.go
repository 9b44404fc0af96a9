package process

import (
	"os"
	"testing"

	"github.com/hotspan/hotspan/agent/internal/procs"
)

// TestEnded: a process that has the id of another one, which was met before, is not that.
func TestEnded(t *testing.T) {
	pid := os.Getpid()
	same := Process{PID: pid, Started: procs.Started(pid)}
	before := Process{PID: pid, Started: procs.Started(pid) - 1}
	if same.Ended() || !before.Ended() {
		t.Errorf("the same: %v, one of before: %v", same.Ended(), before.Ended())
	}
}
