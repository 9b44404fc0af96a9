package process_test

import (
	"io"
	"os"
	"os/exec"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/hotspan/hotspan/agent/internal/elffile"
	"github.com/hotspan/hotspan/agent/internal/process"
	"github.com/hotspan/hotspan/test/nodes/live"
	"github.com/hotspan/hotspan/v8/layout"
)

// TestVerifyStarting: a look at a process that starts does not find it wrong, whenever it is, and however slow.
func TestVerifyStarting(t *testing.T) {
	t.Run("fast", func(t *testing.T) {
		for range 30 {
			verifyStarting(t, `exec "$0" "$@"`, 200*time.Millisecond, func(*os.Process) {})
		}
	})
	t.Run("slow", func(t *testing.T) {
		for range 3 {
			verifyStarting(t, stopFirst, 3*time.Second, step)
		}
	})
}

// verifyStarting looks at a Node.js that a shell starts, for some time and until four looks have found it right, and
// has it go on each 50 ms.
func verifyStarting(t *testing.T, start string, d time.Duration, goOn func(*os.Process)) {
	c := starting(t, start)
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
	for right := 0; time.Now().Before(end) || right < 4; {
		if time.Since(end) > time.Minute {
			t.Fatalf("only %d looks have shown anything", right)
		}
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
}

// TestVerifyStopped: a process that stands still for long while its isolate is empty is not found wrong.
func TestVerifyStopped(t *testing.T) {
	files := elffile.NewLayoutCache()
	for range 50 {
		c := starting(t, stopFirst)
		empty := false
		for began := false; !began; {
			step(c.Process)
			p, err := process.Open(c.Process.Pid, files)
			if err != nil {
				continue
			}
			isolate, err := p.MainIsolate()
			if err != nil {
				continue
			}
			began = true
			var word [8]byte
			_, err = p.Memory.ReadAt(word[:], int64(isolate)+int64(p.Layout.At(layout.IsolateCPED)))
			empty = err == nil && word == [8]byte{}
			if result, err := p.VerifyShortly(); err != nil || len(result.Wrong) > 0 {
				t.Errorf("wrong: %q, %v", result.Wrong, err)
			}
		}
		c.Process.Kill()
		c.Wait()
		if empty {
			return
		}
	}
	t.Error("none of 50 processes was stopped while its isolate was empty")
}

// slowMemory takes long for the first reads of the isolate, and gets them wrong, as of a process that changes it.
type slowMemory struct {
	io.ReaderAt
	isolate uint64
	wrong   int // reads that are still to be
}

func (m *slowMemory) ReadAt(b []byte, at int64) (int, error) {
	n, err := m.ReaderAt.ReadAt(b, at)
	if from := uint64(at) - m.isolate; from < 1<<16 && m.wrong > 0 {
		m.wrong--
		time.Sleep(700 * time.Millisecond)
		for i := range b {
			b[i] = 1
		}
	}
	return n, err
}

// TestVerifySlowly: where hotspan is so slow that a short look takes longer than a process may be starting, a wrong one
// is not the last.
func TestVerifySlowly(t *testing.T) {
	t.Parallel()
	c := starting(t, `exec "$0" "$@"`)
	defer func() { c.Process.Kill(); c.Wait() }()
	files := elffile.NewLayoutCache()
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		p, err := process.Open(c.Process.Pid, files)
		if err != nil {
			continue
		}
		isolate, err := p.MainIsolate()
		if result, failed := p.VerifyShortly(); err != nil || failed != nil || len(result.Wrong) > 0 {
			continue
		}
		slow := &slowMemory{p.Memory, isolate, 4}
		p.Memory = slow
		if result, err := p.VerifyShortly(); err != nil || len(result.Wrong) > 0 || slow.wrong > 0 {
			t.Errorf("wrong: %q, %v; %d reads were not wrong", result.Wrong, err, slow.wrong)
		}
		return
	}
	t.Error("there is no isolate")
}

// stopFirst has a shell stop before it executes Node.js.
const stopFirst = `kill -STOP $$; exec "$0" "$@"`

// step has a stopped process go on for a millisecond.
func step(p *os.Process) {
	p.Signal(syscall.SIGCONT)
	time.Sleep(time.Millisecond)
	p.Signal(syscall.SIGSTOP)
}

// starting has a shell start Node.js.
func starting(t *testing.T, script string) *exec.Cmd {
	c := exec.Command("sh", "-c", script, live.Binary(t, "24.21.0"), "-e", "setTimeout(() => {}, 60000)")
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	return c
}
