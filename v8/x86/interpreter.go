package x86

import (
	"slices"
	"sort"

	"golang.org/x/arch/x86/x86asm"
)

// V8's interpreter runs a piece of machine code for each bytecode, its handler. The offset of the bytecode comes in r9,
// the array that has it in r12. A handler writes it into the frame of the function only before it calls something; but
// it keeps it in r9, or in a frame of its own. (src/codegen/x64/register-x64.h, kInterpreterBytecodeOffsetRegister;
// src/interpreter/interpreter-assembler.cc, SaveBytecodeOffset)
const (
	offsetRegister = 9 // as x86asm numbers them from RAX on
	arrayRegister  = 12
	framePointer   = 5
	savedOffset    = -0x24 // from rbp of the function on: the upper half of the word with the offset, which is a Smi
)

// OffsetPlace is where a handler has the offset of its bytecode: in r9, or in a word of its own frame.
type OffsetPlace struct {
	Known    bool
	OwnFrame bool // rbp is the handler's own frame pointer, not that of the function
	InR9     bool
	Slot     int // else where it is from rbp on, in bytes
	Passed   int // how much it is ahead of the bytecode: at the end of the handler it is the next one's
}

// Handler tells for the instructions of a handler where the offset of its bytecode is.
type Handler struct {
	from   []int // offsets in the code, sorted
	places []OffsetPlace
}

// At is the place before the instruction at an offset of the code.
func (h *Handler) At(at int) OffsetPlace {
	i := sort.SearchInts(h.from, at+1)
	if i == 0 {
		return OffsetPlace{}
	}
	return h.places[i-1]
}

// ReadHandler follows the offset through a handler's code. keeps says of a call, by where its target is from the start
// of the code on, that it changes no register; others change all. Of code that neither reads a bytecode by r12 and r9
// nor writes r9 into the function's frame nothing is known.
func ReadHandler(code []byte, keeps func(target int) bool) *Handler {
	f := &offsetFlow{code: code, keeps: keeps, before: map[int]*offsets{}}
	entry := &offsets{}
	for i := range entry.registers {
		entry.registers[i] = noOffset
	}
	entry.registers[offsetRegister] = 0
	f.reach(0, entry)
	h := &Handler{}
	if !f.run() || !f.sure {
		return h
	}
	ats := make([]int, 0, len(f.before))
	for at := range f.before {
		ats = append(ats, at)
	}
	slices.Sort(ats)
	for _, at := range ats {
		if p := f.before[at].place(); len(h.places) == 0 || h.places[len(h.places)-1] != p {
			h.from, h.places = append(h.from, at), append(h.places, p)
		}
	}
	return h
}

// noOffset is the content of a register or word that is not the offset; anOffset that of r9 where it is that of this
// bytecode or of the next, as behind a jump.
const (
	noOffset = -1 << 30
	anOffset = noOffset + 1
)

// offsets are the registers and the words of the handler's frame that have the offset, and how much it is ahead.
type offsets struct {
	registers [16]int
	words     []offsetWord
	own       bool
	unsure    bool // whose frame pointer rbp is depends on the way
}

type offsetWord struct{ at, ahead int }

// maxWords bounds the words that are known to have the offset. V8's handlers have three.
const maxWords = 16

func (o *offsets) place() OffsetPlace {
	if o.unsure {
		return OffsetPlace{}
	}
	p := OffsetPlace{Known: true, OwnFrame: o.own}
	switch r9 := o.registers[offsetRegister]; {
	case r9 == anOffset:
		p.InR9 = true
	case r9 != noOffset:
		p.InR9, p.Passed = true, r9
	case o.own && len(o.words) > 0:
		p.Slot, p.Passed = o.words[0].at, o.words[0].ahead
	default:
		return OffsetPlace{}
	}
	return p
}

// merge keeps what holds on another way too, and reports whether that is less.
func (o *offsets) merge(with *offsets) (less bool) {
	for i, a := range o.registers {
		b := with.registers[i]
		switch {
		case a == b || a == noOffset:
			continue
		case i == offsetRegister && b != noOffset:
			less = less || a != anOffset
			o.registers[i] = anOffset
			continue
		}
		o.registers[i], less = noOffset, true
	}
	n := len(o.words)
	o.words = slices.DeleteFunc(o.words, func(w offsetWord) bool { return !slices.Contains(with.words, w) })
	if !o.unsure && (with.unsure || o.own != with.own) {
		o.unsure, less = true, true
	}
	return less || len(o.words) < n
}

// offsetFlow is a handler that is being followed.
type offsetFlow struct {
	code   []byte
	keeps  func(target int) bool
	before map[int]*offsets // by offset of the instruction
	next   []int            // instructions to follow
	sure   bool             // r9 is used as the offset
}

// run follows all that can be reached. It is false if that takes too long: then nothing is certain. V8's handlers take
// a step for each two bytes at most.
func (f *offsetFlow) run() bool {
	for steps := 0; len(f.next) > 0; steps++ {
		if steps > len(f.code) {
			return false
		}
		at := f.next[len(f.next)-1]
		f.next = f.next[:len(f.next)-1]
		f.step(at)
	}
	return true
}

func (f *offsetFlow) reach(at int, with *offsets) {
	known := f.before[at]
	switch {
	case at < 0 || at >= len(f.code):
		return
	case known == nil:
		o := *with
		o.words = slices.Clone(with.words)
		f.before[at] = &o
	case !known.merge(with):
		return
	}
	f.next = append(f.next, at)
}

func (f *offsetFlow) step(at int) {
	in, err := Decode(f.code[at:])
	if err != nil {
		return
	}
	o := *f.before[at]
	o.words = slices.Clone(o.words)
	f.sure = f.sure || readsBytecode(&in, &o) || savesOffset(&in, &o)
	rel, direct := in.Args[0].(x86asm.Rel)
	if in.Op != x86asm.CALL || !direct || !f.keeps(at+in.Len+int(rel)) {
		o.run(&in)
	}
	if v, ok := in.Args[0].(x86asm.Reg); ok && f.code[at]&^1 == vex3 && v >= x86asm.X0 { // it may be a general register
		o.registers[(v-x86asm.X0)&15] = noOffset
	}
	if direct && in.Op != x86asm.CALL {
		f.reach(at+in.Len+int(rel), &o)
	}
	switch in.Op {
	case x86asm.JMP, x86asm.RET, x86asm.INT, x86asm.UD2:
		return
	}
	f.reach(at+in.Len, &o)
}

// readsBytecode reports whether an operand is in the array of bytecodes, at the offset.
func readsBytecode(in *x86asm.Inst, o *offsets) bool {
	for _, a := range in.Args {
		m, ok := a.(x86asm.Mem)
		base, index := general(m.Base), general(m.Index)
		if !ok || m.Scale != 1 && m.Index != 0 {
			continue
		}
		if base == offsetRegister {
			base, index = index, base
		}
		if base == arrayRegister && index == offsetRegister && o.registers[offsetRegister] != noOffset {
			return true
		}
	}
	return false
}

// savesOffset reports whether an instruction writes the offset into the frame of the function.
func savesOffset(in *x86asm.Inst, o *offsets) bool {
	m, ok := in.Args[0].(x86asm.Mem)
	return ok && in.Op == x86asm.MOV && int32(m.Disp) == savedOffset && in.Args[1] == x86asm.R9L &&
		o.registers[offsetRegister] == 0
}

// run changes what holds as an instruction does.
func (o *offsets) run(in *x86asm.Inst) {
	switch in.Op {
	case x86asm.CMP, x86asm.TEST, x86asm.PUSH, x86asm.JMP, x86asm.NOP:
		return
	case x86asm.CALL:
		for i := range o.registers {
			o.registers[i] = noOffset
		}
		return
	case x86asm.XCHG, x86asm.CMPXCHG, x86asm.XADD:
		o.write(in.Args[1], noOffset)
	case x86asm.MUL, x86asm.IMUL, x86asm.DIV, x86asm.IDIV, x86asm.CQO, x86asm.CDQ:
		o.registers[0], o.registers[2] = noOffset, noOffset
	}
	if in.Args[0] != nil {
		o.write(in.Args[0], o.result(in))
	}
	if in.Op == x86asm.MOV && in.Args[0] == x86asm.RBP && in.Args[1] == x86asm.RSP {
		o.own = true
	}
}

// result is what an instruction leaves in its first operand.
func (o *offsets) result(in *x86asm.Inst) int {
	first, source := o.read(in.Args[0]), o.read(in.Args[1])
	imm, constant := in.Args[1].(x86asm.Imm)
	m, _ := in.Args[1].(x86asm.Mem)
	base := noOffset
	if r := general(m.Base); r >= 0 {
		base = o.registers[r]
	}
	moved := general(register(in.Args[0])) == offsetRegister
	switch {
	case in.Op == x86asm.MOV && in.DataSize == 64:
		return source
	case in.Op == x86asm.ADD && constant && counted(first):
		return first + int(imm)
	case in.Op == x86asm.SUB && constant && counted(first):
		return first - int(imm)
	case in.Op == x86asm.LEA && m.Index == 0 && counted(base):
		return base + int(m.Disp)
	case (in.Op == x86asm.ADD || in.Op == x86asm.SUB) && moved && first != noOffset:
		return anOffset
	case in.Op == x86asm.ADD && moved && source != noOffset, in.Op == x86asm.LEA && moved && base != noOffset:
		return anOffset
	}
	return noOffset
}

func counted(ahead int) bool { return ahead != noOffset && ahead != anOffset }

func (o *offsets) read(a x86asm.Arg) int {
	if r := general(register(a)); r >= 0 {
		return o.registers[r]
	}
	if at, ok := o.word(a); ok {
		for _, w := range o.words {
			if w.at == at {
				return w.ahead
			}
		}
	}
	return noOffset
}

func (o *offsets) write(a x86asm.Arg, ahead int) {
	if r := general(register(a)); r >= 0 {
		o.registers[r] = ahead
		if r == framePointer {
			o.own, o.words = false, nil
		}
	}
	if at, ok := o.word(a); ok {
		o.words = slices.DeleteFunc(o.words, func(w offsetWord) bool { return w.at == at })
		if ahead != noOffset && len(o.words) < maxWords {
			o.words = append(o.words, offsetWord{at, ahead})
		}
	}
}

// word is the place of an operand in the handler's own frame.
func (o *offsets) word(a x86asm.Arg) (at int, ok bool) {
	m, ok := a.(x86asm.Mem)
	return int(m.Disp), ok && o.own && general(m.Base) == framePointer && m.Index == 0
}

func register(a x86asm.Arg) x86asm.Reg {
	r, _ := a.(x86asm.Reg)
	return r
}

// general is the number of a general register, of whatever size, and of the vector register that Decode may show in
// its place; -1: it is none.
func general(r x86asm.Reg) int {
	for _, first := range []x86asm.Reg{x86asm.RAX, x86asm.EAX, x86asm.AX} {
		if r >= first && r < first+16 {
			return int(r - first)
		}
	}
	switch {
	case r >= x86asm.AL && r <= x86asm.BL:
		return int(r - x86asm.AL)
	case r >= x86asm.AH && r <= x86asm.BH:
		return int(r - x86asm.AH)
	case r >= x86asm.SPB && r <= x86asm.R15B:
		return int(r-x86asm.SPB) + 4
	}
	return -1
}
