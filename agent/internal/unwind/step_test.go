package unwind

import (
	"encoding/binary"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hotspan/hotspan/v8/stack"
	"github.com/hotspan/hotspan/v8/target"
)

// words64 is a memory of few words, by address.
type words64 map[uint64]uint64

func (w words64) ReadAt(b []byte, addr int64) (int, error) {
	v, ok := w[uint64(addr)]
	if !ok {
		return 0, io.ErrUnexpectedEOF
	}
	return copy(b, binary.LittleEndian.AppendUint64(nil, v)), nil
}

// TestStep follows one rule of each kind over a stack laid out by hand as the x86-64 ABI and the kernel do.
func TestStep(t *testing.T) {
	from := stack.Position{PC: 0x40000b, SP: 0x1000, BP: 0x1020}
	mem := words64{
		0x0ff8: 0x1038,   // a caller's rsp below rsp
		0x1000: 0x400100, // return address if nothing is pushed
		0x1008: 0x400200, // and if one word is
		0x1010: 0x2000,   // a caller's rsp less 8, or a saved CFA
		0x1018: 0x1040,
		0x1020: 0xbbb, // saved rbp, where rbp points
		0x1028: 0x400300,
		0x1038: 0x400400,
		0x1ff8: 0x400500,
		0x2000: 0x400600,
		// A ucontext at rsp, struct sigcontext 40 bytes into it.
		0x1000 + 40 + 10*8: 0x5555, // rbp
		0x1000 + 40 + 15*8: 0x0900, // rsp, of another stack
		0x1000 + 40 + 16*8: 0x400700,
	}
	for _, tt := range []struct {
		name string
		row  Row
		pc   uint64
		want stack.Position
	}{
		{"function entry", Row{CFA: RSP, Off: 1}, 0, stack.Position{PC: 0x400100, SP: 0x1008, BP: 0x1020}},
		{"rbp is frame pointer", Row{CFA: RBP, RBP: -2, Off: 2}, 0,
			stack.Position{PC: 0x400300, SP: 0x1030, BP: 0xbbb}},
		{"rbp lost", Row{CFA: RSP, RBP: RBPLost, Off: 1}, 0, stack.Position{PC: 0x400100, SP: 0x1008, BP: 0}},
		{"OpenSSL", Row{CFA: CFADeref, Off: 2}, 0, stack.Position{PC: 0x400600, SP: 0x2008, BP: 0x1020}},
		{"OpenSSL, below rsp", Row{CFA: CFADeref, Off: -1}, 0, stack.Position{PC: 0x400400, SP: 0x1040, BP: 0x1020}},
		{"OpenSSL, by rbp", Row{CFA: CFADerefFP, Off: -2}, 0, stack.Position{PC: 0x400600, SP: 0x2008, BP: 0x1020}},
		{"realigned", Row{CFA: CFADerefRBP, RBP: RBPAtRBP, Off: -1}, 0,
			stack.Position{PC: 0x400400, SP: 0x1040, BP: 0xbbb}},
		{"stub before its push", Row{CFA: CFAPLT, Off: 11}, 0x400006,
			stack.Position{PC: 0x400100, SP: 0x1008, BP: 0x1020}},
		{"stub after its push", Row{CFA: CFAPLT, Off: 11}, 0x40000b,
			stack.Position{PC: 0x400200, SP: 0x1010, BP: 0x1020}},
		{"signal handler's restorer", Row{CFA: CFASignal}, 0,
			stack.Position{PC: 0x400700, SP: 0x0900, BP: 0x5555, Exact: true}},
	} {
		regs := from
		if tt.pc != 0 {
			regs.PC = tt.pc
		}
		got, err := Step(tt.row, regs, mem)
		if err != nil || got != tt.want {
			t.Errorf("%s: %v: %s", tt.name, err, cmp.Diff(tt.want, got))
		}
	}
}

// A register other than rsp and rbp is known in the leaf.
func TestStepByRegister(t *testing.T) {
	mem := words64{0x2028: 0x400100, 0x2020: 0xbbb}
	from := stack.Position{PC: 0x400000, SP: 0x1000, Registers: &target.Registers{}}
	from.Registers.General[target.R10] = 0x2000
	got, err := Step(Row{CFA: target.R10, RBP: -2, Off: 6}, from, mem)
	if want := (stack.Position{PC: 0x400100, SP: 0x2030, BP: 0xbbb}); err != nil || got != want {
		t.Errorf("%v: %s", err, cmp.Diff(want, got))
	}
}

func TestStepStops(t *testing.T) {
	from := stack.Position{PC: 0x400000, SP: 0x1000, BP: 0x0800}
	for _, tt := range []struct {
		name string
		row  Row
		mem  words64
		is   error
		text string
	}{
		{"first frame", Row{CFA: CFAEnd}, nil, stack.ErrRoot, ""},
		{"no rule", Row{CFA: CFANone}, nil, stack.ErrNoRule, "unwind 0x400000"},
		{"unknown kind", Row{CFA: 200}, nil, stack.ErrNoRule, ""},
		{"CFA in r10", Row{CFA: 10}, nil, stack.ErrNoRule, "register 10"},
		{"CFA by r9", Row{CFA: CFADerefR9}, nil, stack.ErrNoRule, "register 9"},
		{"stack not mapped", Row{CFA: RSP, Off: 1}, nil, io.ErrUnexpectedEOF, "return address at 0x1000"},
		{"no saved rbp", Row{CFA: RSP, RBP: -2, Off: 2}, words64{0x1008: 1}, io.ErrUnexpectedEOF,
			"saved rbp at 0x1000"},
		{"no signal frame", Row{CFA: CFASignal}, nil, io.ErrUnexpectedEOF, "interrupted rbp at 0x1078"},
		{"saved rsp not mapped", Row{CFA: CFADeref}, nil, io.ErrUnexpectedEOF, "saved rsp at 0x1000"},
	} {
		_, err := Step(tt.row, from, tt.mem)
		if err == nil || tt.is != nil && !errors.Is(err, tt.is) || !strings.Contains(err.Error(), tt.text) {
			t.Errorf("%s: error %v, want %v with %q", tt.name, err, tt.is, tt.text)
		}
	}
}
