package bpf

import (
	"testing"
	"unsafe"

	"github.com/cilium/ebpf/asm"
)

// TestWaitTimesAreAtomic: the programs that measure waits add to what a CPU has by one instruction. Others may run on
// the CPU between two.
func TestWaitTimesAreAtomic(t *testing.T) {
	spec, err := loadSpec()
	if err != nil {
		t.Fatal(err)
	}
	var w WaitTimes
	fields := map[int16]string{
		int16(unsafe.Offsetof(w.Elsewhere)): "elsewhere", int16(unsafe.Offsetof(w.Ready)): "ready",
		int16(unsafe.Offsetof(w.Unknown)): "unknown",
	}
	functions, atomic := map[string]bool{}, map[string]bool{}
	for _, program := range []string{"hotspan_switch", "hotspan_wakeup", "hotspan_call_end"} {
		function, all := "", spec.Programs[program].Instructions
		for i, in := range all {
			if s := in.Symbol(); s != "" {
				function = s
			}
			field := fields[in.Offset]
			if field == "" || function == "hotspan_call_end" { // that has scratch memory of its own
				continue
			}
			functions[function] = true
			if in.OpCode.Mode() == asm.AtomicMode {
				atomic[field] = true
			} else if storesSum(all[:i], in) {
				t.Errorf("%s: instruction %d adds to %q and stores that", function, i, field)
			}
		}
	}
	for _, function := range []string{"hotspan_switch", "hotspan_wakeup", "current_has_cpu"} {
		if !functions[function] {
			t.Errorf("%s was not looked at", function)
		}
	}
	if len(atomic) != len(fields) {
		t.Errorf("sums to which is added: %v", atomic)
	}
}

// storesSum reports whether an instruction stores what those before it have loaded from there and added to.
func storesSum(before asm.Instructions, in asm.Instruction) bool {
	if in.OpCode.Class() != asm.StXClass || in.OpCode.Mode() != asm.MemMode {
		return false
	}
	for i := len(before) - 1; i >= max(0, len(before)-12); i-- {
		b := before[i]
		if b.OpCode.Class() == asm.LdXClass && b.Dst == in.Src && b.Src == in.Dst && b.Offset == in.Offset {
			return true
		}
	}
	return false
}
