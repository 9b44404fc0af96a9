package layout

import (
	"debug/elf"
	"fmt"

	"golang.org/x/arch/x86/x86asm"
)

// maxCode bounds the bytes of one function that are disassembled. The longest that is read, an entry of the
// deoptimiser, has about 1000; the others have 120.
const maxCode = 1024

// inst is a decoded instruction at its address.
type inst struct {
	x86asm.Inst
	addr uint64
}

// code decodes a function from its start to its end, or to the first bytes that do not decode.
func (im *image) code(name string) ([]inst, error) {
	s := im.syms[name]
	size := int(min(s.size, maxCode))
	if size == 0 { // builtins written in assembly have no size
		size = 64
	}
	return im.decode(s.value, size)
}

func (im *image) decode(addr uint64, size int) ([]inst, error) {
	off, ok := im.fileOffset(addr)
	if !ok {
		return nil, fmt.Errorf("code at %#x is not in the file", addr)
	}
	var out []inst
	for b := im.upTo(int64(off), size); len(b) > 0; {
		i, err := x86asm.Decode(b, 64)
		if err != nil {
			break
		}
		out = append(out, inst{i, addr})
		addr, b = addr+uint64(i.Len), b[i.Len:]
	}
	return out, nil
}

// fieldOf returns the displacement when an argument is memory at a register plus a displacement.
func fieldOf(a x86asm.Arg, base x86asm.Reg) (int64, bool) {
	m, ok := a.(x86asm.Mem)
	return m.Disp, ok && m.Base == base && m.Index == 0 && m.Segment == 0
}

// tlsDisp is the displacement of a load `mov %fs:disp,%reg`.
func tlsDisp(i inst) (int64, bool) {
	m, ok := i.Args[1].(x86asm.Mem)
	return int64(int32(m.Disp)), ok && i.Op == x86asm.MOV && m.Segment == x86asm.FS && m.Base == 0 && m.Index == 0
}

// ripRelative is the address of memory that an instruction reads, or makes, by its distance from the next one.
func ripRelative(i inst) (uint64, bool) {
	m, ok := i.Args[1].(x86asm.Mem)
	return behind(i, m), ok && m.Base == x86asm.RIP && m.Index == 0
}

// behind is the address at a distance from the next instruction. x86asm does not extend the sign of these.
func behind(i inst, m x86asm.Mem) uint64 {
	return i.addr + uint64(i.Len) + uint64(int64(int32(m.Disp)))
}

// gotSlot is the address of a load `mov disp(%rip),%reg`.
func gotSlot(i inst) (uint64, bool) {
	slot, ok := ripRelative(i)
	return slot, ok && i.Op == x86asm.MOV
}

// linked is the function of the file that the linker's jump at an address leads to; else that address.
func (im *image) linked(at uint64) uint64 {
	code, err := im.decode(at, 16)
	if err != nil || len(code) == 0 || code[0].Op != x86asm.JMP {
		return at
	}
	m, ok := code[0].Args[0].(x86asm.Mem)
	r, found := im.relocation(behind(code[0], m))
	if !ok || !found || m.Base != x86asm.RIP || r.kind != elf.R_X86_64_JMP_SLOT || r.symbol == 0 {
		return at
	}
	return r.symbol
}

// target is the address of a direct jump.
func target(i inst) (uint64, bool) {
	rel, ok := i.Args[0].(x86asm.Rel)
	return i.addr + uint64(i.Len) + uint64(int64(rel)), ok && i.Op == x86asm.JMP
}

// returned is what a function returns that only names a constant: an immediate, an address, or what stands there.
func (im *image) returned(code []inst) (v uint64, ok bool) {
	for _, i := range code {
		m, isMem := i.Args[1].(x86asm.Mem)
		at := behind(i, m)
		switch imm, isImm := i.Args[1].(x86asm.Imm); {
		case i.Op == x86asm.RET:
			return v, ok
		case i.Args[0] == x86asm.RBP: // push, mov, pop: the frame pointer
		case i.Op == x86asm.MOV && isImm:
			v, ok = uint64(imm), true
		case i.Op == x86asm.LEA && isMem && m.Base == x86asm.RIP:
			v, ok = at, true
		case i.Op == x86asm.MOV && isMem && m.Base == x86asm.RIP:
			v, ok = im.load(i, at)
		case i.Op == x86asm.MOV && isMem && m.Base == x86asm.RAX && m.Disp == 0 && ok:
			v, ok = im.load(i, v)
		default:
			return 0, false
		}
	}
	return 0, false
}

// load is what a load into eax or rax reads.
func (im *image) load(i inst, at uint64) (uint64, bool) {
	if i.Args[0] == x86asm.RAX {
		return im.pointer(at)
	}
	n, err := im.i32(at)
	return uint64(uint32(n)), err == nil
}
