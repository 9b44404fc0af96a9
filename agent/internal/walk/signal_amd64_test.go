package walk

import (
	"testing"

	"golang.org/x/sys/unix"

	"github.com/hotspan/hotspan/agent/internal/bpf/bpftest"
	"github.com/hotspan/hotspan/test/nodes"
	"github.com/hotspan/hotspan/test/nodes/live"
	"github.com/hotspan/hotspan/v8/stack"
	memory "github.com/hotspan/hotspan/v8/target"
)

// TestWalkSignalReturn stops Node where the restorer of its handler of SIGINT has called the kernel to return: its walk
// is the one before the signal, with the restorer on top, in Go and in the kernel.
func TestWalkSignalReturn(t *testing.T) {
	for _, version := range []string{nodes.Versions()[0].Version, live.Musl} {
		t.Run(version, func(t *testing.T) { walkSignalReturn(t, version) })
	}
}

func walkSignalReturn(t *testing.T, version string) {
	p := bpftest.Load(t)
	th := stopped(t, version, walkProgram)
	before := th.walk(th.mem)
	pid := th.mem.(memory.Live).PID
	interrupted(t, pid)
	for regs := (unix.PtraceRegs{}); regs.Orig_rax != unix.SYS_RT_SIGRETURN; {
		var status unix.WaitStatus
		if err := unix.PtraceSyscall(pid, 0); err != nil {
			t.Fatal(err)
		}
		if _, err := unix.Wait4(pid, &status, unix.WALL, nil); err != nil || !status.Stopped() {
			t.Fatalf("let process %d go to a system call: %v, status 0x%x", pid, err, status)
		}
		if err := unix.PtraceGetRegs(pid, &regs); err != nil {
			t.Fatal(err)
		}
	}
	th.regs = registers(t, pid)
	want := th.walk(th.mem)
	if len(want.Frames) != len(before.Frames)+1 || want.Stop != stack.StopRoot || !want.Frames[1].Exact {
		t.Errorf("%d frames, stop %d; %d before", len(want.Frames), want.Stop, len(before.Frames))
	}
	agreeRecorded(t, p, th, recordThread(t, p, th), want)
}
