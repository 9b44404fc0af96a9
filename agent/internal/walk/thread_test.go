package walk

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/hotspan/hotspan/agent/internal/bpf"
	"github.com/hotspan/hotspan/agent/internal/bpf/bpftest"
	"github.com/hotspan/hotspan/agent/internal/elffile"
	"github.com/hotspan/hotspan/agent/internal/process"
	"github.com/hotspan/hotspan/agent/internal/unwind"
	"github.com/hotspan/hotspan/test/nodes/live"
	"github.com/hotspan/hotspan/v8/functions"
	"github.com/hotspan/hotspan/v8/heap"
	"github.com/hotspan/hotspan/v8/layout"
	"github.com/hotspan/hotspan/v8/stack"
	memory "github.com/hotspan/hotspan/v8/target"
)

// thread is a thread that stands still: of a live process, or recorded.
type thread struct {
	mem     io.ReaderAt
	regs    memory.Registers
	layout  *layout.Layout
	code    *usedCode
	process *process.Process // nil for a recording
	says    says
	// isolate is where, from the thread pointer, the pointer to the thread's isolate stands.
	isolate int64
}

// says is what testdata/walk.js says of itself.
type says struct {
	Stack []site // its functions, leaf first
}

// site is a place in a function.
type site struct {
	Name         string
	Line, Column int
}

// walk walks it in Go.
func (th *thread) walk(mem io.ReaderAt) stack.Walk {
	u := Unwinder{Memory: mem, Layout: th.layout, Code: th.code, Isolate: th.isolate}
	w, _ := u.WalkPointers(th.regs)
	w.Context = 0 // the BPF program keeps it, too, but has it in no record
	return w
}

// resolver names frames of the thread, which stands still.
func (th *thread) resolver(mem io.ReaderAt) *functions.Resolver {
	return functions.NewResolver(heap.NewReader(mem, th.layout), th.process.Mappings)
}

// logical are the frames of a walk in V8's code as a Resolver names them now, leaf first.
func logical(v *functions.Resolver, w stack.Walk) iter.Seq[*functions.Frame] {
	return func(yield func(*functions.Frame) bool) {
		v.Renew(0)
		v.Begin(functions.Moment{})
		for _, f := range w.Frames {
			if f.Kind != stack.FrameFunction && f.Kind != stack.FrameTyped {
				continue
			}
			for _, raw := range v.Repair(f.RawFrame, w.Leaf) {
				for _, frame := range v.Resolve(raw) {
					if !yield(frame) {
						return
					}
				}
			}
		}
	}
}

// standing runs a program until it stands still, with a stack where this process has no memory.
func standing(t testing.TB, version, program string, args ...string) (*live.Process, memory.Registers) {
	t.Helper()
	bpftest.Randomize(t)
	for range 20 {
		p := live.Start(t, version, append([]string{inTemp(t, program)}, args...)...)
		awaitRead(t, p.PID)
		if regs := seize(t, p.PID); regs.General[memory.RSP] < bpftest.MaxAddress {
			return p, regs
		}
	}
	t.Fatal("each process has its stack where this one has its memory")
	return nil, memory.Registers{}
}

// stopped runs a program of testdata, such as walk.js, and stops it where it stands still.
func stopped(t testing.TB, version, program string, args ...string) *thread {
	t.Helper()
	p, regs := standing(t, version, program, args...)
	return stoppedAt(t, p, regs)
}

// stoppedAt is the main thread of a process that was stopped with these registers.
func stoppedAt(t testing.TB, p *live.Process, regs memory.Registers) *thread {
	t.Helper()
	th := &thread{regs: regs, code: newUsedCode(nil, map[uint32]*unwind.Table{})}
	p.Said(t, &th.says)
	var err error
	if th.process, err = process.Open(p.PID, elffile.NewCache(th.code)); err != nil {
		t.Fatal(err)
	}
	u, left, err := New(th.process, th.code.plainCode)
	if err != nil || left > 0 {
		t.Fatalf("%v; %d mappings left out", err, left)
	}
	th.mem, th.layout, th.isolate = u.Memory, u.Layout, u.Isolate
	return th
}

// inTemp copies a program to where its path says nothing of this machine: recordings hold it.
func inTemp(t testing.TB, program string) string {
	t.Helper()
	b, err := os.ReadFile(program)
	if err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(t.TempDir(), filepath.Base(program))
	if err := os.WriteFile(name, b, 0o644); err != nil {
		t.Fatal(err)
	}
	return name
}

// awaitRead waits until a process's main thread is in read(2).
func awaitRead(t testing.TB, pid int) {
	t.Helper()
	const most = time.Minute
	for end := time.Now().Add(most); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		if text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/syscall", pid)); bytes.HasPrefix(text, []byte("0 ")) {
			return
		}
	}
	t.Fatalf("process %d is not in read(2)", pid)
}

// seize stops a process's main thread until the test ends.
func seize(t testing.TB, pid int) memory.Registers {
	t.Helper()
	var status unix.WaitStatus
	err := unix.PtraceSeize(pid)
	if err == nil {
		err = unix.PtraceInterrupt(pid)
	}
	if err == nil {
		_, err = unix.Wait4(pid, &status, unix.WALL, nil)
	}
	if err != nil {
		t.Fatalf("stop process %d: %v", pid, err)
	}
	t.Cleanup(func() { unix.PtraceDetach(pid) })
	return registers(t, pid)
}

// about is what a recording keeps of a thread besides registers and memory.
type about struct {
	Node     string
	Stack    []site
	Isolate  int64            // where it stands, from the thread pointer
	Layout   map[string]int64 // values that are known, by field
	Mappings []bpf.Mapping
	Tables   map[uint32]unwind.Table // rules that the walk asked for
}

// recordings is where they are, by version of Node.
const recordings = "testdata/recordings"

// keep writes what was recorded of a thread. Pages hold what is not the walk's: paths and the environment.
func (th *thread) keep(t *testing.T, r *memory.Recorder, version string) {
	t.Helper()
	a := about{Node: version, Stack: th.says.Stack, Isolate: th.isolate, Layout: map[string]int64{},
		Tables: map[uint32]unwind.Table{}}
	for f := range layout.NumFields {
		if th.layout.Has(f) {
			a.Layout[f.String()] = th.layout.Values[f].N
		}
	}
	code := th.code.pruned()
	a.Mappings = code.Mappings
	for slot, table := range code.Tables {
		a.Tables[slot] = *table
	}
	var b bytes.Buffer
	r.Registers = th.regs
	r.About, _ = json.Marshal(a)
	blank(&r.Recording)
	if err := r.Write(&b); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(recordings, version+".gz"), b.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	t.Logf("%d pages, %d bytes", len(r.Pages), b.Len())
}

// blank puts x for what pages say of the machine.
func blank(r *memory.Recording) {
	wd, _ := os.Getwd()
	home, _ := os.UserHomeDir()
	for _, text := range slices.Concat(os.Environ(), []string{wd, home}) {
		for _, page := range r.Pages {
			if i := bytes.Index(page, []byte(text)); i >= 0 && len(text) > 1 {
				copy(page, bytes.ReplaceAll(page, []byte(text), bytes.Repeat([]byte("x"), len(text))))
			}
		}
	}
}

// recorded reads a recording.
func recorded(t testing.TB, version string) (*thread, *memory.Recording) {
	t.Helper()
	f, err := os.Open(filepath.Join(recordings, version+".gz"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	r, err := memory.ReadRecording(f)
	if err != nil {
		t.Fatal(err)
	}
	var a about
	if err := json.Unmarshal(r.About, &a); err != nil {
		t.Fatal(err)
	}
	th := &thread{mem: r, regs: r.Registers, layout: &layout.Layout{Node: a.Node}, says: says{a.Stack},
		isolate: a.Isolate}
	for f := range layout.NumFields {
		if n, ok := a.Layout[f.String()]; ok {
			th.layout.Values[f] = layout.Value{N: n, State: layout.Known}
		}
	}
	th.code = newUsedCode(a.Mappings, map[uint32]*unwind.Table{})
	for slot, table := range a.Tables {
		th.code.Tables[slot] = &table
	}
	return th, r
}
