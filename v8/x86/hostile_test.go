package x86

import (
	"encoding/binary"
	"slices"
	"testing"
	"time"

	"github.com/hotspan/hotspan/test/cputime"
)

// rotating is a handler that has the offset in n words, and a loop that moves each of them on and overwrites the last:
// each time around one word less has it on all ways.
func rotating(n int) []byte {
	code := slices.Concat(readOperand, makeFrame)
	word := func(i int, instruction ...byte) {
		code = append(code, instruction...)
		code = binary.LittleEndian.AppendUint32(code, uint32(-8*i))
	}
	for i := range n {
		word(i+1, 0x4c, 0x89, 0x8d) // mov [rbp-8*(i+1)],r9
	}
	head := len(code)
	for i := range n - 1 {
		word(i+2, 0x48, 0x8b, 0x85) // mov rax,[rbp-8*(i+2)]
		word(i+1, 0x48, 0x89, 0x85) // mov [rbp-8*(i+1)],rax
	}
	code = append(code, 0x31, 0xc0) // xor eax,eax
	word(n, 0x48, 0x89, 0x85)
	code = append(code, 0x0f, 0x85) // jnz head
	code = binary.LittleEndian.AppendUint32(code, uint32(head-len(code)-4))
	return append(code, dispatch...)
}

// TestSlowHandler: no code takes long. It is read between samples.
func TestSlowHandler(t *testing.T) {
	before := cputime.Own()
	ReadHandler(rotating(780), func(int) bool { return false }) // 16 KiB
	if d := cputime.Own() - before; d > time.Second {
		t.Errorf("it took %v", d)
	}
}
