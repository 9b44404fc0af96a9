package bpf

import (
	"testing"

	"github.com/cilium/ebpf"
	"github.com/cilium/ebpf/asm"
)

// mostStack is what the functions of a BPF program that call each other may have of the stack together, in bytes, each
// rounded up to 32. (Linux: kernel/bpf/verifier.c, check_max_stack_depth; since 6.13 a program may have a stack of its
// own for each function, and no bound shows there)
const mostStack = 512

// TestStack: the programs can be loaded on kernels before 6.13, as far as their stacks are concerned.
func TestStack(t *testing.T) {
	spec, err := loadHotspan()
	if err != nil {
		t.Fatal(err)
	}
	if len(spec.Programs) < 10 {
		t.Fatalf("%d programs", len(spec.Programs))
	}
	delete(spec.Programs, "hotspan_uretprobe") // which takes Linux 6.13 (uprobe.session)
	for name, p := range spec.Programs {
		if depth, calls := functionsOf(p).deepest(name); depth > mostStack {
			t.Errorf("%s takes %d bytes of the stack, at most %d are allowed: %v", name, depth, mostStack, calls)
		}
	}
}

// function is one of a program.
type function struct {
	stack int64 // bytes
	calls []string
}

type functions map[string]*function

// functionsOf tells the functions of a program, with those that the kernel calls for them, such as the body of a loop.
func functionsOf(p *ebpf.ProgramSpec) functions {
	out := functions{}
	f := &function{}
	address := asm.Register(0xff) // of something on the stack
	for _, i := range p.Instructions {
		if name := i.Symbol(); name != "" {
			f = &function{}
			out[name] = f
		}
		if called := i.Reference(); called != "" {
			f.calls = append(f.calls, called)
		}
		class := i.OpCode.Class()
		switch {
		case class.IsLoad() && i.Src == asm.RFP, class.IsStore() && i.Dst == asm.RFP:
			f.stack = max(f.stack, -int64(i.Offset))
		case class.IsALU() && i.OpCode.ALUOp() == asm.Mov && i.Src == asm.RFP:
			address = i.Dst
		case class.IsALU() && i.OpCode.ALUOp() == asm.Add && i.Dst == address:
			f.stack, address = max(f.stack, -i.Constant), 0xff
		}
	}
	return out
}

// deepest returns how much of the stack a function and those that it calls take, and which these are.
func (all functions) deepest(name string) (depth int64, calls []string) {
	f, ok := all[name]
	if !ok {
		return 0, nil // a map
	}
	for _, called := range f.calls {
		if d, c := all.deepest(called); d > depth {
			depth, calls = d, c
		}
	}
	return depth + (max(f.stack, 1)+31)/32*32, append([]string{name}, calls...)
}
