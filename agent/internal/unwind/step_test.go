package unwind

import (
	"encoding/binary"
	"errors"
	"io"
	"strings"
	"testing"
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
	from := Regs{PC: 0x40000b, SP: 0x1000, BP: 0x1020}
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
		want Regs
	}{
		{"function entry", Row{CFA: RSP, Off: 1}, 0, Regs{0x400100, 0x1008, 0x1020}},
		{"rbp is frame pointer", Row{CFA: RBP, RBP: -2, Off: 2}, 0, Regs{0x400300, 0x1030, 0xbbb}},
		{"rbp lost", Row{CFA: RSP, RBP: RBPLost, Off: 1}, 0, Regs{0x400100, 0x1008, 0}},
		{"OpenSSL", Row{CFA: CFADeref, Off: 2}, 0, Regs{0x400600, 0x2008, 0x1020}},
		{"OpenSSL, below rsp", Row{CFA: CFADeref, Off: -1}, 0, Regs{0x400400, 0x1040, 0x1020}},
		{"OpenSSL, by rbp", Row{CFA: CFADerefFP, Off: -2}, 0, Regs{0x400600, 0x2008, 0x1020}},
		{"realigned", Row{CFA: CFADerefRBP, RBP: RBPAtRBP, Off: -1}, 0, Regs{0x400400, 0x1040, 0xbbb}},
		{"stub before its push", Row{CFA: CFAPLT, Off: 11}, 0x400006, Regs{0x400100, 0x1008, 0x1020}},
		{"stub after its push", Row{CFA: CFAPLT, Off: 11}, 0x40000b, Regs{0x400200, 0x1010, 0x1020}},
		{"signal handler's restorer", Row{CFA: CFASignal}, 0, Regs{0x400700, 0x0900, 0x5555}},
	} {
		regs := from
		if tt.pc != 0 {
			regs.PC = tt.pc
		}
		got, err := Step(tt.row, regs, mem)
		if err != nil || got != tt.want {
			t.Errorf("%s: %#x, %v, want %#x", tt.name, got, err, tt.want)
		}
	}
}

func TestStepStops(t *testing.T) {
	from := Regs{PC: 0x400000, SP: 0x1000, BP: 0x0800}
	for _, tt := range []struct {
		name string
		row  Row
		mem  words64
		is   error
		text string
	}{
		{"first frame", Row{CFA: CFAEnd}, nil, ErrEnd, ""},
		{"no rule", Row{CFA: CFANone}, nil, ErrNoRule, "unwind 0x400000"},
		{"unknown kind", Row{CFA: 200}, nil, ErrNoRule, ""},
		{"CFA in r10", Row{CFA: 10}, nil, ErrNoRule, "register 10"},
		{"CFA by r9", Row{CFA: CFADerefR9}, nil, ErrNoRule, "register 9"},
		{"stack not mapped", Row{CFA: RSP, Off: 1}, nil, io.ErrUnexpectedEOF, "return address at 0x1000"},
		{"no saved rbp", Row{CFA: RSP, RBP: -2, Off: 2}, words64{0x1008: 1}, io.ErrUnexpectedEOF, "saved rbp at 0x1000"},
		{"no signal frame", Row{CFA: CFASignal}, nil, io.ErrUnexpectedEOF, "interrupted rbp at 0x1078"},
		{"down the stack", Row{CFA: RBP, Off: 2}, nil, nil, "CFA 0x810 is not above rsp 0x1000"},
		{"no progress", Row{CFA: RSP}, nil, nil, "not above"},
	} {
		_, err := Step(tt.row, from, tt.mem)
		if err == nil || tt.is != nil && !errors.Is(err, tt.is) || !strings.Contains(err.Error(), tt.text) {
			t.Errorf("%s: error %v, want %v with %q", tt.name, err, tt.is, tt.text)
		}
	}
}
