package walk

import (
	"encoding/binary"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/hotspan/hotspan/agent/internal/bpf"
	"github.com/hotspan/hotspan/agent/internal/bpf/bpftest"
	"github.com/hotspan/hotspan/agent/internal/unwind"
	"github.com/hotspan/hotspan/test/nodes"
	"github.com/hotspan/hotspan/v8/layout"
	"github.com/hotspan/hotspan/v8/stack"
	memory "github.com/hotspan/hotspan/v8/target"
)

// TestWalkSignal stops Node at the first instruction of its handler of SIGINT: its walk is the one before, with the
// handler and its restorer on top, in Go and in the kernel.
func TestWalkSignal(t *testing.T) {
	p := bpftest.Load(t)
	v := nodes.Versions()[0].Version
	th := stopped(t, v, walkProgram)
	before := th.walk(th.mem)
	th.regs = interrupted(t, th.mem.(memory.Live).PID)
	want := th.walk(th.mem)
	if len(want.Frames) != len(before.Frames)+2 || want.Stop != stack.StopRoot || !want.Frames[2].Exact {
		t.Errorf("%d frames, stop %d; %d before", len(want.Frames), want.Stop, len(before.Frames))
	}
	agreeRecorded(t, p, th, recordThread(t, p, th), want)
}

// interrupted sends SIGINT to a process that is stopped, and lets it go to its handler.
func interrupted(t *testing.T, pid int) memory.Registers {
	t.Helper()
	var status unix.WaitStatus
	step := func() error {
		_, _, errno := unix.Syscall6(unix.SYS_PTRACE, unix.PTRACE_SINGLESTEP, uintptr(pid), 0, uintptr(unix.SIGINT), 0,
			0)
		if errno != 0 {
			return errno
		}
		return nil
	}
	err := unix.Tgkill(pid, pid, unix.SIGINT) // another thread would take one that is for the process
	toDelivery := func() error { return unix.PtraceCont(pid, 0) }
	for _, next := range []func() error{toDelivery, step} { // the step goes to the handler
		if err == nil {
			err = next()
		}
		if err == nil {
			_, err = unix.Wait4(pid, &status, unix.WALL, nil)
		}
	}
	if err != nil || !status.Stopped() {
		t.Fatalf("let process %d go to its handler: %v, status 0x%x", pid, err, status)
	}
	return registers(t, pid)
}

// TestWalkSignalStack: a signal handler on a stack of its own leads to what it interrupted, above or below, in both
// walks; two that lead to each other have an end.
func TestWalkSignalStack(t *testing.T) {
	const own, restorer, first, page = 0x10_0000_0000, 0x30_0000_0000, 0x30_0000_0100, memory.PageSize
	p := bpftest.Load(t)
	for _, c := range []struct {
		name   string
		to     uint64 // the other stack
		ip     uint64
		frames int
		stop   stack.Stop
	}{
		{"above", own + 16*page, first, 2, stack.StopRoot},
		{"below", own - 16*page, first, 2, stack.StopRoot},
		{"the same again", own, restorer, stack.MaxSteps, stack.StopDepth},
	} {
		b := make([]byte, page)
		for at, word := range map[int]uint64{120: 0, 160: c.to, 168: c.ip} { // rbp, rsp and rip in the ucontext
			binary.LittleEndian.PutUint64(b[at:], word)
		}
		r := &memory.Recording{Pages: map[uint64][]byte{own: b}}
		th := &thread{mem: r, layout: &layout.Layout{}, code: newUsedCode(
			[]bpf.Mapping{{Start: restorer, End: restorer + 0x1000, Base: restorer, Table: 1, Kind: bpf.MappingNative}},
			map[uint32]*unwind.Table{1: {Rows: []unwind.Row{
				{CFA: unwind.CFASignal}, {PC: 0x100, CFA: unwind.CFAEnd}, {PC: 0x200, CFA: unwind.CFANone},
			}}},
		)}
		th.regs.IP, th.regs.General[memory.RSP] = restorer+1, own
		w := inKernel(t, p, th).same(t, c.name, r)
		if len(w.Frames)+w.Skipped != c.frames || w.Stop != c.stop {
			t.Errorf("%s: %d frames, stop %d", c.name, len(w.Frames)+w.Skipped, w.Stop)
		}
	}
}
