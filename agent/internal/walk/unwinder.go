// Package walk walks the stack of a thread in Go, through frames of V8 and native ones, in any memory that can be read
// by address: a live process, a recording, a core file. The BPF program does the same in the kernel; the tests compare
// the two frame by frame.
package walk

import (
	"io"

	"github.com/hotspan/hotspan/agent/internal/bpf"
	"github.com/hotspan/hotspan/agent/internal/process"
	"github.com/hotspan/hotspan/v8/layout"
	"github.com/hotspan/hotspan/v8/stack"
	"github.com/hotspan/hotspan/v8/target"
)

// Unwinder walks the stacks of one process's threads.
type Unwinder struct {
	Memory  io.ReaderAt // by address
	Layout  *layout.Layout
	Code    stack.Unwinder // mappings and unwind rules
	Isolate int64          // offset of the isolate's address from a thread's thread pointer; 0 = not known
}

// New makes an Unwinder for a process that was opened with a cache whose rules go to code. If the process has more
// mappings than the BPF map has room for, native ones are left out; left is their number.
func New(p *process.Process, code *Code) (u *Unwinder, left int, err error) {
	code.Mappings = make([]bpf.Mapping, len(bpf.Process{}.Mappings))
	n, left := p.Mappings.BPF(code.Mappings)
	code.Mappings = code.Mappings[:n]
	isolate, err := p.IsolateOffset()
	if err != nil {
		return nil, left, err
	}
	return &Unwinder{Memory: p.Memory, Layout: p.Layout, Code: code, Isolate: isolate}, left, nil
}

// WalkPointers walks the stack of a thread that is stopped with these registers, leaf first. It reads at most
// stack.MaxSteps frames; why it ended is in the result. The frame pointers are as stack.Walker gives them.
func (u *Unwinder) WalkPointers(regs target.Registers) (out stack.Walk, framePointers []uint64) {
	w := stack.Walker{Mem: u.Memory, Layout: u.Layout, Code: u.Code}
	return w.WalkPointers(regs, stack.Isolate(u.Memory, regs.FSBase, u.Isolate))
}
