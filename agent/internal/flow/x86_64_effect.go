package flow

import "golang.org/x/arch/x86/x86asm"

// trackedRegister returns the index in State.Kept of a register, or of one that is a part of it; -1 for others.
func trackedRegister(a x86asm.Arg) int {
	switch a {
	case x86asm.RBP, x86asm.EBP, x86asm.BP, x86asm.BPB:
		return RBP
	case x86asm.RBX, x86asm.EBX, x86asm.BX, x86asm.BL, x86asm.BH:
		return RBX
	case x86asm.R12, x86asm.R12L, x86asm.R12W, x86asm.R12B:
		return R12
	case x86asm.R13, x86asm.R13L, x86asm.R13W, x86asm.R13B:
		return R13
	}
	return -1
}

func isStackPointer(a x86asm.Arg) bool {
	return a == x86asm.RSP || a == x86asm.ESP || a == x86asm.SP || a == x86asm.SPB
}

// below returns how far below the CFA memory is that an instruction names by rsp or rbp.
func (s *State) below(a x86asm.Arg) (int32, bool) {
	m, ok := a.(x86asm.Mem)
	if !ok || m.Index != 0 || m.Segment != 0 || m.Disp < -maxFrame || m.Disp > maxFrame {
		return 0, false
	}
	switch {
	case m.Base == x86asm.RSP && s.SP != Unknown:
		return s.SP - int32(m.Disp), true
	case m.Base == x86asm.RBP && s.BP != Unknown:
		return s.BP - int32(m.Disp), true
	}
	return 0, false
}

// maxFrame bounds the frame of a function, in bytes. A Row has room for 256 KiB.
const maxFrame = 1 << 20

// apply changes a state to that behind an instruction, if this goes on with the next one.
func (s *State) apply(i *x86asm.Inst) {
	to, from := i.Args[0], i.Args[1]
	switch i.Op {
	case x86asm.PUSH, x86asm.PUSHF, x86asm.PUSHFQ:
		s.push(i)
	case x86asm.POP, x86asm.POPF, x86asm.POPFQ:
		s.pop(i)
	case x86asm.LEAVE:
		s.SP = s.BP
		s.restore(RBP, s.SP)
		s.moveSP(-addressSize)
	case x86asm.SUB, x86asm.ADD:
		n, ok := from.(x86asm.Imm)
		if to != x86asm.RSP || !ok {
			s.write(to)
		} else if s.moveSP(int64(n)); i.Op == x86asm.ADD {
			s.moveSP(-2 * int64(n))
		}
	case x86asm.LEA:
		n, ok := s.below(from)
		s.set(to, n, ok)
	case x86asm.MOV:
		s.move(to, from)
	case x86asm.XOR:
		s.First = s.First || to == from && s.marksFirst(to)
		s.write(to)
	case x86asm.XCHG, x86asm.XADD:
		s.write(to)
		s.write(from)
	case x86asm.CPUID:
		s.write(x86asm.RBX)
	case x86asm.ENTER:
		*s = nothing
	case x86asm.CMP, x86asm.TEST, x86asm.BT, x86asm.CALL, x86asm.NOP:
	default:
		s.write(to)
	}
}

// marksFirst reports whether to clear a register marks the thread's first frame, as the ABI wants it: that is rbp, with
// nothing on the stack and before it was saved.
func (s *State) marksFirst(register x86asm.Arg) bool {
	return (register == x86asm.RBP || register == x86asm.EBP) && s.SP == addressSize && s.Kept[RBP] == InRegister
}

func (s *State) moveSP(down int64) {
	switch n := int64(s.SP) + down; {
	case s.SP == Unknown:
	case n < -maxFrame || n > maxFrame:
		s.SP = Unknown
	default:
		s.SP = int32(n)
	}
}

func (s *State) push(i *x86asm.Inst) {
	if i.DataSize == 16 {
		s.SP = Unknown
		return
	}
	s.moveSP(addressSize)
	s.save(i.Args[0], s.SP)
}

func (s *State) pop(i *x86asm.Inst) {
	if i.DataSize == 16 {
		s.SP = Unknown
		s.write(i.Args[0])
		return
	}
	from := s.SP
	s.moveSP(-addressSize)
	s.load(i.Args[0], from, from != Unknown)
}

// move is a copy between registers, or between a register and memory.
func (s *State) move(to, from x86asm.Arg) {
	if n, ok := s.below(to); ok {
		s.save(from, n)
		return
	}
	if n, ok := s.below(from); ok {
		s.load(to, n, true)
		return
	}
	switch from {
	case x86asm.RSP:
		s.set(to, s.SP, s.SP != Unknown)
	case x86asm.RBP:
		s.set(to, s.BP, s.BP != Unknown)
	default:
		s.write(to)
	}
}

// save notes that a register is stored at a place below the CFA.
func (s *State) save(register x86asm.Arg, below int32) {
	if below == Unknown {
		return
	}
	switch r := trackedRegister(register); register {
	case x86asm.RBP, x86asm.RBX, x86asm.R12, x86asm.R13:
		if s.Kept[r] == InRegister && below > 0 {
			s.Kept[r] = below
		}
	}
}

// load notes that a register is loaded from a place below the CFA.
func (s *State) load(register x86asm.Arg, below int32, known bool) {
	if r := trackedRegister(register); known && r >= 0 && s.Kept[r] == below && below != InRegister {
		s.restore(r, below)
		return
	}
	s.write(register)
}

// restore notes that a register has what is at a place below the CFA.
func (s *State) restore(r int, below int32) {
	if r == RBP {
		s.BP = Unknown
	}
	if s.Kept[r] == below && below != Unknown {
		s.Kept[r] = InRegister
	} else if s.Kept[r] == InRegister {
		s.Kept[r] = Unknown
	}
}

// set notes that a register has an address, if known by its distance below the CFA.
func (s *State) set(register x86asm.Arg, below int32, known bool) {
	s.write(register)
	switch {
	case !known || below < -maxFrame || below > maxFrame:
	case register == x86asm.RSP:
		s.SP = below
	case register == x86asm.RBP:
		s.BP = below
	}
}

// write notes that a register has another value.
func (s *State) write(register x86asm.Arg) {
	if isStackPointer(register) {
		s.SP = Unknown
	}
	r := trackedRegister(register)
	if r < 0 {
		return
	}
	if r == RBP {
		s.BP = Unknown
	}
	if s.Kept[r] == InRegister {
		s.Kept[r] = Unknown
	}
}
