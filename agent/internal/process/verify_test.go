package process_test

import (
	"os"
	"os/exec"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/hotspan/hotspan/agent/internal/elffile"
	"github.com/hotspan/hotspan/agent/internal/process"
	"github.com/hotspan/hotspan/test/nodes/live"
)

// TestVerifyStarting: a look at a process that starts does not find it wrong, whenever it is, and however slow.
func TestVerifyStarting(t *testing.T) {
	t.Run("fast", func(t *testing.T) {
		right := 0
		for range 30 {
			right += verifyStarting(t, `exec "$0" "$@"`, 200*time.Millisecond, func(*os.Process) {})
		}
		if right < 100 {
			t.Errorf("only %d looks have shown anything", right)
		}
	})
	t.Run("slow", func(t *testing.T) {
		right := 0
		for range 3 {
			right += verifyStarting(t, `kill -STOP $$; exec "$0" "$@"`, 3*time.Second, func(p *os.Process) {
				p.Signal(syscall.SIGCONT)
				time.Sleep(time.Millisecond)
				p.Signal(syscall.SIGSTOP)
			})
		}
		if right < 10 {
			t.Errorf("only %d looks have shown anything", right)
		}
	})
}

// verifyStarting looks at a Node.js that a shell starts, for some time, and has it go on each 50 ms. It returns how
// many looks found it right.
func verifyStarting(t *testing.T, start string, d time.Duration, goOn func(*os.Process)) (right int) {
	c := exec.Command("sh", "-c", start, live.Binary(t, "24.21.0"), "-e", "setTimeout(() => {}, 60000)")
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	end := time.Now().Add(d)
	var wait sync.WaitGroup
	done := make(chan struct{})
	wait.Go(func() {
		for {
			select {
			case <-done: // not before the last look, which may take longer than that
				return
			case <-time.After(50 * time.Millisecond):
				goOn(c.Process)
			}
		}
	})
	defer func() {
		close(done)
		wait.Wait()
		c.Process.Kill()
		c.Wait()
	}()
	files := elffile.NewLayoutCache()
	for time.Now().Before(end) {
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
	return right
}
