package e2e

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/hotspan/hotspan/test/truth/judge"
)

// waitTimes is what record --json says of waits, in seconds.
type waitTimes struct {
	Duration float64
	Waits    struct{ Ended, Samples, Ready, Elsewhere, Unfinished float64 }
}

// recordWaits records the waits of a process for some seconds. Once a wait was sampled, it calls a function.
func recordWaits(t *testing.T, pid int, d time.Duration, sampled func()) (w waitTimes, samples []judge.Sample) {
	t.Helper()
	out, log := filepath.Join(t.TempDir(), "out.jsonl"), filepath.Join(t.TempDir(), "log")
	c := exec.Command(hotspan, "record", "--json", "--off-cpu", "-v", "-p", strconv.Itoa(pid), "-d", d.String(),
		"-o", out)
	var said strings.Builder
	var err error
	if c.Stderr, err = os.Create(log); err != nil {
		t.Fatal(err)
	}
	c.Stdout = &said
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	if sampled != nil {
		awaitText(t, log, "first named sample")
		sampled()
	}
	err = c.Wait()
	t.Logf("%s", said.String())
	if err != nil || json.Unmarshal([]byte(said.String()), &w) != nil {
		t.Fatal(err)
	}
	return w, readSamples(t, out)
}

// TestUnfinishedWaits: threads that wait from before a recording to beyond its end, and one in a system call that it
// waits in again and again, are in the sums, which lack only what the threads were on a CPU.
func TestUnfinishedWaits(t *testing.T) {
	eachNode(t, func(t *testing.T, node string) {
		pipe := filepath.Join(t.TempDir(), "pipe")
		if err := syscall.Mkfifo(pipe, 0o600); err != nil {
			t.Fatal(err)
		}
		c, said := startNode(t, node, "-e", fmt.Sprintf(`
			const out = fs.openSync(%q, 'w');
			console.log('ready');
			fs.writeSync(out, Buffer.alloc(1 << 28));`, pipe))
		reader, err := os.Open(pipe)
		if err != nil {
			t.Fatal(err)
		}
		go func() { // until the test ends
			for part := make([]byte, 1<<16); err == nil; time.Sleep(20 * time.Millisecond) {
				_, err = reader.Read(part)
			}
		}()
		t.Cleanup(func() { reader.Close() })
		awaitText(t, said, "ready")
		time.Sleep(time.Second) // what has begun with Node.js waits
		threads, before := ranFor(t, c.Process.Pid)
		w, samples := recordWaits(t, c.Process.Pid, 4*time.Second, nil)
		_, after := ranFor(t, c.Process.Pid)
		all := float64(threads) * w.Duration
		got := w.Waits.Ended + w.Waits.Ready + w.Waits.Elsewhere + w.Waits.Unfinished
		t.Logf("%d threads: %.3f s off the CPU, of %.3f s; %.3f s on a CPU", threads, got, all, after-before)
		if got > 1.01*all || got < 0.98*all-(after-before) {
			t.Error("these differ")
		}
		if w.Waits.Unfinished < 0.9*w.Duration || len(samples) > 0 {
			t.Errorf("the main thread waits in one system call all the time: %d samples", len(samples))
		}
	})
}

// ranFor returns how many threads a process has, and for how long they were on a CPU, in seconds.
func ranFor(t *testing.T, pid int) (threads int, seconds float64) {
	t.Helper()
	files, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/schedstat", pid))
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		n, err := strconv.ParseFloat(strings.Fields(string(text))[0], 64)
		if err != nil {
			t.Fatal(err)
		}
		seconds += n / 1e9
	}
	return len(files), seconds
}

// TestStoppedWaits: threads are stopped for two seconds, the main thread in a wait of one second. That is no part of a
// wait.
func TestStoppedWaits(t *testing.T) {
	eachNode(t, func(t *testing.T, node string) {
		c, said := startNode(t, node, "-e", `
			const cell = new Int32Array(new SharedArrayBuffer(4));
			setInterval(() => Atomics.wait(cell, 0, 0, 1000), 1);
			console.log('ready');`)
		awaitText(t, said, "ready")
		threads, _ := ranFor(t, c.Process.Pid)
		stopped := 0.0
		w, samples := recordWaits(t, c.Process.Pid, 7*time.Second, func() {
			for _, signal := range []syscall.Signal{syscall.SIGSTOP, syscall.SIGCONT} {
				begun := time.Now()
				if err := c.Process.Signal(signal); err != nil {
					t.Fatal(err)
				}
				if signal == syscall.SIGSTOP {
					time.Sleep(2 * time.Second)
					stopped = time.Since(begun).Seconds()
				}
			}
		})
		longest := slices.MaxFunc(samples, func(a, b judge.Sample) int { return int(a.Weight - b.Weight) })
		t.Logf("%d threads were stopped for %.3f s: %.3f s; the longest wait took %d ms", threads, stopped,
			w.Waits.Elsewhere, longest.Weight/1e6)
		if want := float64(threads) * stopped; w.Waits.Elsewhere < 0.9*want || w.Waits.Elsewhere > 1.1*want {
			t.Errorf("want %.3f s", want)
		}
		if longest.Weight > 1.3e9 {
			t.Errorf("%v", &longest)
		}
	})
}

// TestStoppedBefore: a thread that is stopped when the recording begins, and goes on later, has not waited until then.
func TestStoppedBefore(t *testing.T) {
	t.Parallel()
	c, said := startNode(t, node24(t), "-e", `
		const cell = new Int32Array(new SharedArrayBuffer(4));
		setInterval(() => Atomics.wait(cell, 0, 0, 300), 1);
		setTimeout(() => console.log('ready'), 500);`)
	awaitText(t, said, "ready")
	if err := c.Process.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	time.AfterFunc(6*time.Second, func() { c.Process.Signal(syscall.SIGCONT) })
	w, samples := recordWaits(t, c.Process.Pid, 8*time.Second, nil)
	if w.Waits.Elsewhere < 1 || len(samples) == 0 {
		t.Errorf("stopped for %.3f s, %d samples", w.Waits.Elsewhere, len(samples))
	}
	for _, s := range samples {
		if s.Weight > 500e6 {
			t.Errorf("%v", &s)
		}
	}
}
