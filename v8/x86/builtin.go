package x86

import (
	"bytes"
	"encoding/binary"
)

// Liftoff's code has its frame made by a builtin, WasmLiftoffFrameSetup: mov r12d,index or xor r12d,r12d, and a call.
// (src/wasm/baseline/x64/liftoff-assembler-x64-inl.h, CallFrameSetupStub)
var liftoffEntries = []struct {
	head []byte
	call int // offset of the call
}{{[]byte{0x41, 0xbc}, 6}, {[]byte{0x45, 0x31, 0xe4}, 3}}

// InLiftoffEntry reports whether an offset of a piece of code, of which the first bytes are given, is before or at the
// call with which Liftoff's code has its frame made.
func InLiftoffEntry(head []byte, at int) bool {
	for _, e := range liftoffEntries {
		if bytes.HasPrefix(head, e.head) && len(head) > e.call && head[e.call] == 0xe8 && at <= e.call {
			return true
		}
	}
	return false
}

// DeoptimizationEntrySize is how many bytes of the builtins DeoptimizationEntry_* SavedWords reads.
const DeoptimizationEntrySize = 7

// SavedWords is how many words of the stack a builtin DeoptimizationEntry_* saves all registers in: sub rsp,imm32 is
// its first instruction and makes place for xmm registers, the other 16 are pushed. 0: it begins in another way.
func SavedWords(head []byte) int {
	const general, most = 16, 64
	if len(head) < DeoptimizationEntrySize || !bytes.HasPrefix(head, []byte{0x48, 0x81, 0xec}) {
		return 0
	}
	return general + int(min(binary.LittleEndian.Uint32(head[3:])/8, most))
}
