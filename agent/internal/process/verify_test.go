package process_test

import (
	"os/exec"
	"testing"
	"time"

	"github.com/hotspan/hotspan/agent/internal/elffile"
	"github.com/hotspan/hotspan/agent/internal/process"
	"github.com/hotspan/hotspan/test/nodes/live"
)

// TestVerifyStarting: a look at a process that starts does not find it wrong, whenever it is.
func TestVerifyStarting(t *testing.T) {
	node, files := live.Binary(t, "24.21.0"), elffile.NewLayoutCache()
	right := 0
	for range 30 {
		c := exec.Command(node, "-e", "setTimeout(() => {}, 60000)")
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		for end := time.Now().Add(200 * time.Millisecond); time.Now().Before(end); {
			p, err := process.Open(c.Process.Pid, files)
			if err != nil {
				continue // it has not executed Node.js yet
			}
			switch result, err := p.VerifyShortly(); {
			case err != nil: // it has no isolate yet
			case len(result.Wrong) > 0:
				t.Errorf("wrong: %q", result.Wrong)
			default:
				right++
			}
		}
		c.Process.Kill()
		c.Wait()
	}
	if right < 100 {
		t.Errorf("only %d looks have shown anything", right)
	}
}
