package walk

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/hotspan/hotspan/agent/internal/bpf/bpftest"
	"github.com/hotspan/hotspan/agent/internal/process"
	"github.com/hotspan/hotspan/test/nodes"
	"github.com/hotspan/hotspan/test/nodes/live"
	"github.com/hotspan/hotspan/v8/functions"
	"github.com/hotspan/hotspan/v8/layout"
	"github.com/hotspan/hotspan/v8/stack"
	memory "github.com/hotspan/hotspan/v8/target"
)

// The test walks the stack every so many instructions of the deoptimiser in C++, and at each instruction of its
// builtin.
const everyNative = 200

// TestWalkDeoptimizer goes through a deoptimisation by single instructions. While C++ runs, which is nearly all of the
// time, the walk has the functions that the script reports to be on its stack, where they are, and reaches the thread's
// first frame. It does so at most instructions of the builtin around it, and at the others it says that something is
// missing.
func TestWalkDeoptimizer(t *testing.T) {
	program := bpftest.Load(t)
	for _, v := range nodes.Drawn(nodes.Versions(), t.Name()) {
		for _, kind := range []string{"eager", "lazy"} {
			if kind == "eager" || slices.Contains(nodes.Thorough(), v) {
				t.Run(v.Version+"/"+kind, func(t *testing.T) { stepThrough(t, program, v, kind) })
			}
		}
	}
}

func stepThrough(t *testing.T, program *bpftest.Program, v nodes.Version, kind string) {
	th, pid := deoptimizing(t, v, kind)
	whole, seen, dropped := th.truth(), map[string]int{}, map[bool]int{}
	if got := th.functions(th.walk(th.mem)); kind == "lazy" && got != whole {
		t.Errorf("while code that was thrown away waits: %s, want %s", got, whole)
	}
	runTo(t, pid, th.deoptimizers())
	for i := 0; ; i++ {
		th.regs = registers(t, pid)
		name, start, _, v8 := th.process.Mappings.Builtin(th.regs.IP)
		in := strings.HasPrefix(name, "DeoptimizationEntry")
		if v8 && !in {
			break
		}
		if in || i%everyNative == 0 {
			w := th.walk(th.mem)
			got := th.functions(w)
			seen[got]++
			if !in && got != whole {
				t.Errorf("after %d instructions, in C++: %s, want %s", i, got, whole)
			}
			if isDropped(w) {
				dropped[in]++
				if dropped[in] == 2 && th.layout.Has(layout.IsolateTLS) { // else a recording does not say which isolate
					r := recordThread(t, program, th)
					kept := *th
					kept.mem = &r.Recording
					inKernel(t, program, &kept).same(t, fmt.Sprintf("%s+0x%x", name, th.regs.IP-start), &r.Recording)
				}
			}
		}
		if err := step(pid); err != nil {
			t.Fatal(err)
		}
	}
	judge(t, seen, whole, min(dropped[true], dropped[false]))
}

// judge judges the walks seen, by the number of instructions with each.
func judge(t *testing.T, seen map[string]int, whole string, dropped int) {
	t.Helper()
	if seen[whole] < 100 || dropped < 10 {
		t.Errorf("%q at %d instructions only, and at %d with a frame that is not on the stack: %v", whole, seen[whole],
			dropped, seen)
	}
	// While the first words of the new frames are pushed there is no function where rbp points to: 2 words, 4
	// instructions each.
	const pushes = 8
	for got, n := range seen {
		if got != whole && got != cutOffStack && !strings.Contains(got, "[code gone]") &&
			(!strings.HasPrefix(got, "run:") || n > pushes) {
			t.Errorf("%q at %d instructions, want %q", got, n, whole)
		}
	}
	if n := seen[cutOffStack]; n > 50 {
		t.Errorf("cut off at %d instructions of the builtin", n)
	}
}

// deoptimizing is a thread before a deoptimisation.
func deoptimizing(t *testing.T, v nodes.Version, kind string) (*thread, int) {
	t.Helper()
	bpftest.Randomize(t) // and locks the thread: only it may trace
	for range 20 {
		p := live.Start(t, v.Version, live.Natives(v, inTemp(t, "testdata/deopt.js"), kind)...)
		regs := seize(t, p.PID)
		if regs.General[memory.RSP] >= bpftest.MaxAddress {
			unix.Kill(p.PID, unix.SIGKILL)
			continue
		}
		return stoppedAt(t, p, regs), p.PID
	}
	t.Fatal("each process has its stack where this one has its memory")
	return nil, 0
}

// truth is what the script reports, in the format of functions. The deoptimiser's tables are not read until V8 11: then
// of inlined functions it is said that they are missing.
func (th *thread) truth() string {
	var out []string
	for i, s := range th.says.Stack {
		switch known := th.layout.Has(layout.DeoptExitSize); {
		case i == 0 && known: // the column is that of the call that reported it
			out = append(out, fmt.Sprintf("%s:%d", s.Name, s.Line))
		case known:
			out = append(out, fmt.Sprintf("%s:%d:%d", s.Name, s.Line, s.Column))
		case s.Name == "outer":
			out = append(out, "[code gone]", s.Name)
		case s.Name == "run":
			out = append(out, fmt.Sprintf("%s:%d:%d", s.Name, s.Line, s.Column))
		}
	}
	return strings.Join(out, " ")
}

const cutOffStack = "cut off"

// functions returns the functions of the script in a walk, up to run.
func (th *thread) functions(w stack.Walk) string {
	if w.Stop != stack.StopRoot || w.Resumed {
		return cutOffStack
	}
	var out []string
	for frame := range logical(th.resolver(th.mem), w) {
		switch {
		case frame.Name == "run":
			return strings.Join(append(out, place(frame)), " ")
		case strings.HasPrefix(frame.Name, "awaitTracer") || frame.Name == "called": // before it
		case frame.Lost != functions.NothingLost:
			out = append(out, frame.Name)
		case filepath.Base(frame.File) == "deopt.js" && len(out) == 0:
			out = append(out, fmt.Sprintf("%s:%d", frame.Name, frame.Line))
		case filepath.Base(frame.File) == "deopt.js":
			out = append(out, place(frame))
		}
	}
	return strings.Join(out, " ")
}

func place(f *functions.Frame) string { return fmt.Sprintf("%s:%d:%d", f.Name, f.Line, f.Column) }

// isDropped reports whether a walk has a frame that is no longer on the stack: that of a builtin without any is before
// it.
func isDropped(w stack.Walk) bool {
	return slices.ContainsFunc(w.Frames, func(f stack.WalkFrame) bool {
		return f.Kind == stack.FrameTyped && f.Marker == 0 && f.SFI == 0
	})
}

const builtinAlignment = 32 // kCodeAlignment of src/common/globals.h

// deoptimizers are the first addresses of the builtins that leave optimised code.
func (th *thread) deoptimizers() []uint64 {
	return th.builtins("DeoptimizationEntry_Eager", "DeoptimizationEntry_Lazy")
}

// builtins are the first addresses of builtins, wherever they are mapped.
func (th *thread) builtins(names ...string) (all []uint64) {
	for _, m := range th.code.Mappings {
		for r, ok := th.process.Mappings.Find(m.Start); ok && r.Start < m.End; r, ok = th.process.Mappings.Find(r.End) {
			for at := r.Start; at < r.End && r.Kind == process.Builtins; at += builtinAlignment {
				name, start, _, _ := th.process.Mappings.Builtin(at)
				if at == start && slices.Contains(names, name) {
					all = append(all, start)
				}
			}
		}
	}
	return all
}

// runTo lets a process run to the first of some addresses, by the processor's debug registers.
func runTo(t *testing.T, pid int, all []uint64) {
	t.Helper()
	const registers, control, most = 848, 7, 4 // offsetof(struct user, u_debugreg); DR7
	if len(all) == 0 || len(all) > most {
		t.Fatalf("%d addresses", len(all))
	}
	set := func(n int, value uint64) {
		if _, _, e := unix.Syscall6(unix.SYS_PTRACE, unix.PTRACE_POKEUSR, uintptr(pid), uintptr(registers+8*n),
			uintptr(value), 0, 0); e != 0 {
			t.Fatalf("debug register %d: %v", n, e)
		}
	}
	enabled := uint64(0)
	for i, at := range all {
		set(i, at)
		enabled |= 1 << (2 * i)
	}
	set(control, enabled)
	var status unix.WaitStatus
	err := unix.PtraceCont(pid, 0)
	if err == nil {
		_, err = unix.Wait4(pid, &status, unix.WALL, nil)
	}
	if err != nil || !status.Stopped() || status.StopSignal() != unix.SIGTRAP {
		t.Fatalf("process %d did not get to %#x: %v, status 0x%x", pid, all, err, status)
	}
	set(control, 0)
}

// step lets a process run one instruction.
func step(pid int) error {
	var status unix.WaitStatus
	err := unix.PtraceSingleStep(pid)
	if err == nil {
		_, err = unix.Wait4(pid, &status, unix.WALL, nil)
	}
	if err == nil && !status.Stopped() {
		err = fmt.Errorf("process %d: status 0x%x", pid, status)
	}
	return err
}
