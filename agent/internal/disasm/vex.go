package disasm

import (
	"fmt"
	"slices"
	"strings"

	"golang.org/x/arch/x86/x86asm"

	"github.com/hotspan/hotspan/v8/x86"
)

// vex is the prefix of AVX and BMI instructions, which x86asm does not know. Most have the encoding of an instruction
// of SSE, with one more operand. (Intel's manual, volume 2, 2.3)
type vex struct {
	size    int  // of the prefix
	rex     byte // what a REX prefix would be, without its upper half
	implied byte // the prefix that it stands for: 0x66, 0xf3, 0xf2 or 0
	table   byte // of opcodes: 1 for 0f, 2 for 0f 38, 3 for 0f 3a
	operand byte // number of the register that is one more operand
	wide    bool // ymm registers
}

// readVEX reads a prefix. In 64-bit mode c4 and c5 are nothing else.
func readVEX(b []byte) (v vex, ok bool) {
	var last byte
	switch {
	case len(b) >= 2 && b[0] == 0xc5:
		v.size, v.table, last = 2, 1, b[1]&0x7f
		v.rex = ^b[1] >> 5 & 4
	case len(b) >= 3 && b[0] == 0xc4:
		v.size, v.table, last = 3, b[1]&0x1f, b[2]&0x7f
		v.rex = ^b[1]>>5&7 | b[2]>>4&8
	default:
		return v, false
	}
	v.implied = [...]byte{0, 0x66, 0xf3, 0xf2}[last&3]
	v.operand = ^last >> 3 & 15
	v.wide = last&4 != 0
	return v, true
}

var tables = [...][]byte{1: {0x0f}, 2: {0x0f, 0x38}, 3: {0x0f, 0x3a}}

// decode decodes an instruction behind its prefix.
func (v vex) decode(b []byte) Instruction {
	if v.table == 0 || int(v.table) >= len(tables) || len(b) < v.size+2 {
		return Instruction{Size: 1, Text: Unknown}
	}
	opcode := b[v.size]
	if v.table == 1 && opcode == 0x77 {
		return Instruction{Size: v.size + 1, Text: map[bool]string{false: "vzeroupper", true: "vzeroall"}[v.wide]}
	}
	if name := v.general(b); name != "" {
		return v.generalText(b, name)
	}
	in, n, err := v.as(v.implied, append(append([]byte{}, tables[v.table]...), opcode), b[v.size+1:])
	if err != nil || !hasXMM(in) { // what has none is no instruction with this prefix
		return v.unknown(b)
	}
	return Instruction{Size: v.size + 1 + n, Text: v.text(in, opcode)}
}

func hasXMM(in x86asm.Inst) bool {
	return slices.ContainsFunc(in.Args[:], func(a x86asm.Arg) bool {
		r, ok := a.(x86asm.Reg)
		return ok && r >= x86asm.X0 && r <= x86asm.X15
	})
}

// as decodes operands as those of an older instruction, of so many bytes behind its opcode.
func (v vex) as(implied byte, opcode, operands []byte) (x86asm.Inst, int, error) {
	var old []byte
	if implied != 0 {
		old = append(old, implied)
	}
	old = append(append(old, 0x40|v.rex), opcode...)
	n := len(old)
	in, err := x86asm.Decode(append(old, operands[:min(len(operands), 10)]...), 64)
	if err == nil && in.Len <= n { // it is only a prefix
		err = x86asm.ErrUnrecognized
	}
	return in, in.Len - n, err
}

// text is an instruction of SSE with its third operand, where it has one.
func (v vex) text(in x86asm.Inst, opcode byte) string {
	name, operands, _ := strings.Cut(text(in, 0, nil), " ")
	list := strings.Split(operands, ", ")
	register := fmt.Sprintf("xmm%d", v.operand)
	switch {
	case !v.hasOperand(in, opcode):
	case v.table == 1 && opcode >= 0x71 && opcode <= 0x73: // of shifts by a constant it is the destination
		list = slices.Insert(list, 0, register)
	default:
		list = slices.Insert(list, 1, register)
	}
	whole := "v" + name + " " + strings.Join(list, ", ")
	if v.wide {
		whole = strings.ReplaceAll(whole, "xmm", "ymm")
	}
	return whole
}

// hasOperand reports whether the prefix names a register: its number says 0 where it does not.
func (v vex) hasOperand(in x86asm.Inst, opcode byte) bool {
	_, to := in.Args[0].(x86asm.Reg)
	_, from := in.Args[1].(x86asm.Reg)
	scalar := v.implied >= 0xf2
	switch {
	case v.table != 1:
		return !slices.Contains(twoOperands[v.table], opcode)
	case opcode == 0x10 || opcode == 0x11: // of scalars between registers the upper half is another's
		return scalar && to && from
	case opcode == 0x12 || opcode == 0x16:
		return !scalar
	case opcode >= 0x51 && opcode <= 0x53 || opcode == 0x5a:
		return scalar
	}
	return !slices.Contains(twoOperands[1], opcode)
}

// twoOperands are the opcodes, by table, whose AVX form has no more operands than that of SSE.
var twoOperands = [...][]byte{
	1: {0x13, 0x17, 0x28, 0x29, 0x2b, 0x2c, 0x2d, 0x2e, 0x2f, 0x50, 0x5b, 0x6e, 0x6f, 0x70, 0x7e, 0x7f, 0xc5, 0xd6,
		0xd7, 0xe6, 0xe7, 0xf0, 0xf7},
	2: {0x17, 0x1c, 0x1d, 0x1e, 0x20, 0x21, 0x22, 0x23, 0x24, 0x25, 0x2a, 0x30, 0x31, 0x32, 0x33, 0x34, 0x35, 0x41,
		0xdb},
	3: {0x08, 0x09, 0x14, 0x15, 0x16, 0x17, 0x60, 0x61, 0x62, 0x63, 0xdf},
}

// general is the name of an instruction of BMI, on general registers; empty if it is none.
func (v vex) general(b []byte) string {
	group := b[v.size+1] >> 3 & 7
	switch opcode := b[v.size]; {
	case v.table == 2 && opcode == 0xf2 && v.implied == 0:
		return "andn"
	case v.table == 2 && opcode == 0xf3 && v.implied == 0 && group >= 1 && group <= 3:
		return [...]string{1: "blsr", 2: "blsmsk", 3: "blsi"}[group]
	case v.table == 2 && opcode == 0xf5:
		return map[byte]string{0: "bzhi", 0xf3: "pext", 0xf2: "pdep"}[v.implied]
	case v.table == 2 && opcode == 0xf6 && v.implied == 0xf2:
		return "mulx"
	case v.table == 2 && opcode == 0xf7:
		return map[byte]string{0: "bextr", 0x66: "shlx", 0xf3: "sarx", 0xf2: "shrx"}[v.implied]
	case v.table == 3 && opcode == 0xf0 && v.implied == 0xf2:
		return "rorx"
	}
	return ""
}

// generalText has the operands of imul, which are as many, and the one of the prefix.
func (v vex) generalText(b []byte, name string) Instruction {
	in, n, err := v.as(0, []byte{0x0f, 0xaf}, b[v.size+1:])
	if err != nil {
		return Instruction{Size: 1, Text: Unknown}
	}
	_, operands, _ := strings.Cut(text(in, 0, nil), " ")
	list := strings.Split(operands, ", ")
	register := text(x86asm.Inst{Op: x86asm.PUSH, Args: x86asm.Args{v.register()}}, 0, nil)
	register = strings.TrimPrefix(register, "push ")
	size := v.size + 1 + n
	switch name {
	case "andn", "mulx", "pdep", "pext":
		list = slices.Insert(list, 1, register)
	case "blsr", "blsmsk", "blsi": // the group is where others have a register
		list[0] = register
	case "rorx":
		if len(b) <= size {
			return Instruction{Size: 1, Text: Unknown}
		}
		list = append(list, fmt.Sprintf("0x%x", b[size]))
		size++
	default:
		list = append(list, register)
	}
	return Instruction{Size: size, Text: name + " " + strings.Join(list, ", ")}
}

// register is the general register of the prefix.
func (v vex) register() x86asm.Reg {
	if v.rex&8 != 0 {
		return x86asm.RAX + x86asm.Reg(v.operand)
	}
	return x86asm.EAX + x86asm.Reg(v.operand)
}

// unknown is an instruction whose name is not known, but its size is: after the opcode are operands as those of others.
func (v vex) unknown(b []byte) Instruction {
	in, err := x86.Decode(b)
	if err != nil {
		return Instruction{Size: 1, Text: Unknown}
	}
	return Instruction{Size: in.Len, Text: fmt.Sprintf("(avx %d.%02x)", v.table, b[v.size])}
}
