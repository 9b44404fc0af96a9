package x86

import (
	"bytes"

	"golang.org/x/arch/x86/x86asm"
)

// Holder says where the return address is of code that has no frame.
type Holder uint8

// The holders.
const (
	OnStack Holder = iota
	InRAX
	InRCX
	InR8
	InR10
)

// holderOf is for a register, and for its lower half: to write that clears the other. OnStack: it is another operand.
func holderOf(operand x86asm.Arg) Holder {
	switch operand {
	case x86asm.RAX, x86asm.EAX:
		return InRAX
	case x86asm.RCX, x86asm.ECX:
		return InRCX
	case x86asm.R8, x86asm.R8L:
		return InR8
	case x86asm.R10, x86asm.R10L:
		return InR10
	}
	return OnStack
}

// MaxReturnAddress is how many bytes of code ReturnAddress asks for, or as many as there are.
const MaxReturnAddress = 64

// ReturnAddress says where the return address is before the first instruction of code that has no frame. Builtins that
// drop or insert arguments take it from the stack, and push it again before they return or set up a frame, or jump to
// it. (src/codegen/x64/macro-assembler-x64.cc, PopReturnAddressTo and PushReturnAddressFrom)
func ReturnAddress(code []byte) Holder {
	var written [InR10 + 1]bool
	for drops := false; ; {
		in, err := Decode(code)
		if err != nil {
			return OnStack
		}
		code = code[in.Len:]
		of := holderOf(in.Args[0])
		switch in.Op {
		case x86asm.PUSH:
			if returns(code) && !written[of] {
				return of
			}
		case x86asm.JMP:
			if drops && !written[of] { // else it may jump to what it calls
				return of
			}
			return OnStack
		case x86asm.POP, x86asm.RET, x86asm.CALL:
			return OnStack
		case x86asm.CMP, x86asm.TEST:
		default:
			written[of] = true
		}
		drops = in.Op == x86asm.ADD && in.Args[0] == x86asm.RSP
	}
}

// returns reports whether code sets up a frame or returns, after some moves.
func returns(code []byte) bool {
	for {
		in, err := Decode(code)
		switch {
		case err != nil:
			return false
		case in.Op == x86asm.RET || bytes.HasPrefix(code, Prologue):
			return true
		case in.Op != x86asm.MOV && in.Op != x86asm.LEA:
			return false
		}
		code = code[in.Len:]
	}
}
