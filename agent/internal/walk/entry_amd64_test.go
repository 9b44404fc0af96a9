package walk

import (
	"fmt"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/hotspan/hotspan/test/nodes"
	"github.com/hotspan/hotspan/test/nodes/live"
	"github.com/hotspan/hotspan/v8/functions"
	"github.com/hotspan/hotspan/v8/stack"
)

// TestInterpreterEntry goes by single instructions through the builtin with which the interpreter begins a function. At
// each of them the function is at its beginning, whatever an earlier call has left on the stack.
func TestInterpreterEntry(t *testing.T) {
	for _, v := range nodes.Drawn(nodes.Thorough(), t.Name()) {
		t.Run(v.Version, func(t *testing.T) {
			runtime.LockOSThread() // only it may trace
			defer runtime.UnlockOSThread()
			p := live.Start(t, v.Version, inTemp(t, "testdata/entry.js"))
			th := stoppedAt(t, p, seize(t, p.PID))
			entries := th.builtins("InterpreterEntryTrampoline")
			for i := 0; i < len(th.says.Stack); {
				runTo(t, p.PID, entries)
				if th.enters(t, p.PID, th.says.Stack[i]) {
					i++
				}
			}
		})
	}
}

// enters goes through the entry of a function, and reports whether it is one of the program. Then it must be this one.
func (th *thread) enters(t *testing.T, pid int, want site) bool {
	t.Helper()
	const name = "InterpreterEntryTrampoline"
	steps, ours := 0, false
	for {
		th.regs = registers(t, pid)
		builtin, start, _, ok := th.process.Mappings.Builtin(th.regs.IP)
		if !ok || builtin != name {
			break
		}
		f := th.leaf(th.walk(th.mem))
		if steps == 0 {
			ours = filepath.Base(f.File) == "entry.js" && f.Name != "awaitTracer" && f.Name != "site"
		}
		if ours && (f.Name != want.Name || f.Line < want.Line || f.Line > want.Line+1) {
			t.Errorf("%s+%d: %s in line %d, want %s in line %d", name, th.regs.IP-start, f.Name, f.Line, want.Name,
				want.Line)
		}
		if steps++; !ours {
			return false
		}
		if err := step(pid); err != nil {
			t.Fatal(err)
		}
	}
	if steps < 20 {
		t.Errorf("%d instructions", steps)
	}
	return true
}

// leaf is the first frame of JavaScript in a walk.
func (th *thread) leaf(w stack.Walk) functions.Frame {
	for frame := range logical(th.resolver(th.mem), w) {
		if frame.Kind == functions.JS {
			return *frame
		}
	}
	return functions.Frame{Name: fmt.Sprintf("no JavaScript in %d frames", len(w.Frames))}
}
