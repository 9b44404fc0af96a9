package process

import (
	"errors"
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/hotspan/hotspan/agent/internal/elffile"
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

// TestOpenEnded: what is said of a process that has ended, also before its parent takes note.
func TestOpenEnded(t *testing.T) {
	c := exec.Command("true")
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	pid := c.Process.Pid
	for deadline := time.Now().Add(time.Minute); !procs.Ended(pid) && time.Now().Before(deadline); {
		time.Sleep(time.Millisecond)
	}
	for _, parent := range []string{"has not waited", "has waited"} {
		if _, err := Open(pid, elffile.NewLayoutCache()); !errors.Is(err, ErrGone) {
			t.Errorf("the parent %s: %v", parent, err)
		}
		_ = c.Wait()
	}
}
