package agent

import (
	"fmt"
	"os"
	"syscall"
	"testing"
	"time"

	"github.com/hotspan/hotspan/agent/internal/bpf"
	"github.com/hotspan/hotspan/agent/internal/sampler"
	"github.com/hotspan/hotspan/test/nodes/live"
)

// worker is a program whose worker thread ends by SIGUSR2.
const worker = `const { Worker } = require('worker_threads')
	const w = new Worker('require("worker_threads").parentPort.once("message", () => {})', { eval: true })
	w.on('online', () => console.error('ready'))
	process.on('SIGUSR2', () => w.postMessage('')).stdin.on('end', process.exit).resume()`

// TestWorkerEnds: when a worker thread has ended, which unloads its add-ons, what is mapped is read before a later
// sample of the process is named, and not for one that was taken before.
func TestWorkerEnds(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Fatal("this test loads BPF programs: run it as root")
	}
	pid := live.Start(t, "24.21.0", "-e", worker).PID
	a, err := New(Config{Select: Selection{PIDs: []int{pid}}, Rate: 99})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(a.Close)
	if err := a.sampler.Loaded(); err != nil {
		t.Fatal(err)
	}
	of := a.targets[pid]
	read := func(at int64) int64 { // for a sample of the worker thread, or of one like it
		a.readV8(of, &sampler.Sample{
			Sample: &bpf.Sample{Pid: uint32(pid), Tid: uint32(pid) + 1, Isolate: 1, Time: uint64(at)},
			Frames: []bpf.Frame{{Kind: bpf.FrameJS}},
		})
		for deadline := time.Now().Add(time.Minute); of.code.Reading() && time.Now().Before(deadline); {
			time.Sleep(time.Millisecond)
			a.takeV8(of)
		}
		return of.symbolizer.Mapped()
	}
	first := read(sampler.Now())
	threads := func() int {
		all, err := os.ReadDir(fmt.Sprintf("/proc/%d/task", pid))
		if err != nil {
			t.Fatal(err)
		}
		return len(all)
	}
	running := threads()
	if err := syscall.Kill(pid, syscall.SIGUSR2); err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(time.Minute); threads() == running; time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("no thread has ended")
		}
	}
	if again := read(first + 1); again != first {
		t.Error("mappings are read for a sample from before the end of a thread")
	}
	now := sampler.Now() + int64(time.Minute) // long after they were read
	second := read(now)
	if second <= first {
		t.Error("mappings are not read after the end of a thread")
	}
	if again := read(now); again != second {
		t.Error("mappings are read twice")
	}
}
