package probe

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/hotspan/hotspan/agent/internal/bpf"
)

// Condition says which hits of a probe count: those whose operand compares so with a value, both without a sign, or is
// a descriptor of a regular file.
type Condition struct {
	Operand    uint32 // bpf.Operand*
	Comparison uint32 // bpf.Equal and others; 0: all hits count
	Value      uint64
}

// comparisons are the operators; those with two characters come first.
var comparisons = []struct {
	text   string
	number uint32
}{
	{"==", bpf.Equal}, {"!=", bpf.NotEqual}, {"<=", bpf.LessOrEqual}, {">=", bpf.GreaterOrEqual}, {"<", bpf.Less},
	{">", bpf.Greater},
}

// The registers of arguments, from arg0 on.
var (
	ofFunction = []uint32{
		bpf.OperandRDI, bpf.OperandRSI, bpf.OperandRDX, bpf.OperandRCX, bpf.OperandR8, bpf.OperandR9,
	}
	ofSyscall = []uint32{
		bpf.OperandRDI, bpf.OperandRSI, bpf.OperandRDX, bpf.OperandR10, bpf.OperandR8, bpf.OperandR9,
	}
	ofTracepoint = []uint32{
		bpf.OperandArg0, bpf.OperandArg0 + 1, bpf.OperandArg0 + 2, bpf.OperandArg0 + 3, bpf.OperandArg0 + 4,
		bpf.OperandArg0 + 5,
	}
)

// parseCondition reads argN OP VALUE, of a uretprobe or a system call ret OP VALUE, or of a system call file. start is
// whether a uprobe is at the start of its function.
func parseCondition(text string, kind Kind, start bool) (c Condition, err error) {
	if text == "file" {
		if kind != Syscall {
			return c, errors.New("if=file: only system calls are given descriptors of files")
		}
		return Condition{Operand: ofSyscall[0], Comparison: bpf.DescribesFile}, nil
	}
	at := strings.IndexAny(text, "=!<>")
	if at < 0 {
		return c, fmt.Errorf("if=%s: want argN or ret, one of == != < > <= >=, and a number, or file", text)
	}
	for _, known := range comparisons {
		value, ok := strings.CutPrefix(text[at:], known.text)
		if !ok {
			continue
		}
		number, err := strconv.ParseUint(strings.TrimSpace(value), 0, 64)
		if err != nil {
			return Condition{}, fmt.Errorf("if=%s: %q is no number from 0 to 2^64-1", text, value)
		}
		operand, err := parseOperand(strings.TrimSpace(text[:at]), kind, start)
		if err != nil {
			return Condition{}, fmt.Errorf("if=%s: %w", text, err)
		}
		return Condition{operand, known.number, number}, nil
	}
	return c, fmt.Errorf("if=%s: no comparison that is known (== != < > <= >=)", text)
}

// parseOperand returns the register that a name stands for at a probe.
func parseOperand(name string, kind Kind, start bool) (uint32, error) {
	arguments := map[Kind][]uint32{Uprobe: ofFunction, Syscall: ofSyscall, Tracepoint: ofTracepoint}[kind]
	switch {
	case kind == Uretprobe && name == "ret":
		return bpf.OperandRAX, nil
	case kind == Syscall && name == "ret":
		return bpf.OperandResult, nil
	case kind == Uretprobe:
		return 0, fmt.Errorf("%s: a function that returns has ret only", name)
	case kind == USDT:
		return 0, fmt.Errorf("%s: what a USDT probe is given is not read", name)
	case !start:
		return 0, fmt.Errorf("%s: arguments are where they were passed at the start of a function only", name)
	}
	n, err := strconv.Atoi(strings.TrimPrefix(name, "arg"))
	if err != nil || !slices.Contains([]string{"arg0", "arg1", "arg2", "arg3", "arg4", "arg5"}, name) {
		return 0, fmt.Errorf("%s: want arg0 to arg5", name)
	}
	return arguments[n], nil
}
