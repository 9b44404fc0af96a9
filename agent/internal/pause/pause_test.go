package pause_test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/hotspan/hotspan/agent/internal/pause"
	"github.com/hotspan/hotspan/agent/internal/process"
	"github.com/hotspan/hotspan/test/nodes/live"
)

// signalled computes on the main thread and on a Worker. It says on standard output when SIGUSR2 comes.
const signalled = `
const { Worker } = require('worker_threads')
new Worker('for (;;);', { eval: true }).once('online', () => fs.writeSync(2, 'ready\n'))
process.on('SIGUSR2', () => fs.writeSync(1, 'signal'))
process.stdin.on('end', () => process.exit()).resume()
const spin = () => { for (const end = Date.now() + 5; Date.now() < end;); setImmediate(spin) }
spin()`

// TestStop: all threads stand still and use no CPU. A signal that comes meanwhile arrives afterwards. Nobody else can
// stop the process meanwhile, and it can be stopped again.
func TestStop(t *testing.T) {
	p := live.Start(t, "24.21.0", "-e", signalled)
	signals := func() int {
		said, err := os.ReadFile(p.Stdout)
		if err != nil {
			t.Fatal(err)
		}
		return strings.Count(string(said), "signal")
	}
	for i := range 20 {
		stopped, err := pause.Stop(p.PID, time.Minute)
		if err != nil {
			t.Fatal(err)
		}
		before := used(t, p.PID)
		if err := unix.Kill(p.PID, unix.SIGUSR2); err != nil {
			t.Fatal(err)
		}
		if _, err := pause.Stop(p.PID, time.Minute); !errors.Is(err, pause.ErrTraced) {
			t.Errorf("stopped twice: %v", err)
		}
		time.Sleep(30 * time.Millisecond)
		for tid, ns := range used(t, p.PID) {
			if ns != before[tid] {
				t.Errorf("thread %s: %s of CPU time, later %s", tid, before[tid], ns)
			}
		}
		if signals() != i {
			t.Error("the signal arrived while the process was stopped")
		}
		if stopped.Resume() {
			t.Error("a minute was over")
		}
		until(t, "the signal arrives", func() bool { return signals() == i+1 })
	}
}

// TestTimeOver: the process goes on when the time is over, and Resume says so.
func TestTimeOver(t *testing.T) {
	p := live.Start(t, "24.21.0", "-e", signalled)
	stopped, err := pause.Stop(p.PID, 20*time.Millisecond)
	if err != nil {
		t.Fatal(err)
	}
	before := used(t, p.PID)[fmt.Sprint(p.PID)]
	until(t, "it goes on", func() bool { return used(t, p.PID)[fmt.Sprint(p.PID)] != before })
	if !stopped.Resume() {
		t.Error("Resume says that it has ended the stop")
	}
}

// TestThreadsBegin: threads that begin while the others are being stopped stop too.
func TestThreadsBegin(t *testing.T) {
	p := live.Start(t, "24.21.0", "-e", `
const { Worker } = require('worker_threads')
const again = () => new Worker('', { eval: true }).once('exit', again)
for (let i = 0; i < 6; i++) again()
setTimeout(() => fs.writeSync(2, 'ready\n'), 300)
process.stdin.on('end', () => process.exit()).resume()`)
	for range 20 {
		stopped, err := pause.Stop(p.PID, time.Minute)
		if err != nil {
			t.Fatal(err)
		}
		for tid := range used(t, p.PID) {
			stat, err := os.ReadFile("/proc/" + tid + "/stat")
			if _, state, _ := strings.Cut(string(stat), ") "); err == nil && !strings.Contains("tZX", state[:1]) {
				t.Errorf("thread %s has not stopped: %s", tid, stat)
			}
		}
		stopped.Resume()
		time.Sleep(10 * time.Millisecond)
	}
}

// TestKilled: a process that is stopped can be killed. One that has ended cannot be stopped.
func TestKilled(t *testing.T) {
	c := exec.Command("sleep", "60")
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	stopped, err := pause.Stop(c.Process.Pid, time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	stopped.Resume()
	_ = c.Wait() // killed
	if _, err := pause.Stop(c.Process.Pid, time.Minute); !errors.Is(err, process.ErrGone) {
		t.Errorf("of a process that has ended: %v", err)
	}
}

// used returns by thread how long it has had a CPU, in nanoseconds, as Linux prints it.
func used(t *testing.T, pid int) map[string]string {
	t.Helper()
	threads, err := os.ReadDir(fmt.Sprintf("/proc/%d/task", pid))
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]string{}
	for _, thread := range threads {
		b, err := os.ReadFile(fmt.Sprintf("/proc/%d/task/%s/schedstat", pid, thread.Name()))
		if err == nil {
			out[thread.Name()], _, _ = strings.Cut(string(b), " ")
		}
	}
	return out
}

func until(t *testing.T, what string, is func() bool) {
	t.Helper()
	for range 10000 {
		if is() {
			return
		}
		time.Sleep(time.Millisecond)
	}
	t.Fatalf("%s: not within ten seconds", what)
}
