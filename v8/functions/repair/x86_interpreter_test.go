package repair

import (
	"bytes"
	"testing"

	"github.com/hotspan/hotspan/v8/layout"
	"github.com/hotspan/hotspan/v8/stack"
)

// handlerCode keeps the offset in its own frame while it calls something.
var handlerCode = []byte{
	0x4b, 0x0f, 0xbe, 0x5c, 0x0c, 0x01, // 0: movsx rbx,byte [r12+r9+1]
	0x55,             // 6: push rbp
	0x48, 0x89, 0xe5, // 7: mov rbp,rsp
	0x48, 0x83, 0xec, 0x20, // 10: sub rsp,32
	0x4c, 0x89, 0x4d, 0xe8, // 14: mov [rbp-0x18],r9
	0xe8, 0, 0, 0, 0, // 18: call
	0x90,                   // 23
	0x4c, 0x8b, 0x4d, 0xe8, // 24: mov r9,[rbp-0x18]
	0x48, 0x8b, 0xe5, // 28: mov rsp,rbp
	0x5d,                   // 31: pop rbp
	0x49, 0x83, 0xc1, 0x02, // 32: add r9,2
	0xff, 0xe1, // 36: jmp rcx
}

func TestBytecodeOffset(t *testing.T) {
	const start, bp = 0x1000, 0x7000
	p := &process{memory: bytes.NewReader(append(make([]byte, start), handlerCode...)), builtins: []builtin{
		{"AddHandler", start, start + uint64(len(handlerCode))}, {"ArrayMap", start + 0x100, start + 0x200},
	}}
	words := []uint64{1, 77, 3, 4} // from 32 bytes below bp on
	for _, c := range []struct {
		at            uint64
		r9            uint64
		words         []uint64
		frame, offset int
		ok            bool
	}{
		{0, 90, nil, 0, 90, true}, {7, 90, nil, 0, 90, true}, {10, 90, nil, 1, 90, true},
		{23, 90, words, 1, 77, true}, {23, 90, words[:1], 1, 0, false}, {23, 90, nil, 1, 0, false},
		{32, 90, words, 0, 90, true}, {36, 90, words, 0, 88, true},
		{0, 0, nil, 0, 0, false}, {0, 1 << 40, nil, 0, 0, false},
		{0x100, 90, words, 0, 0, false}, {0x300, 90, words, 0, 0, false},
	} {
		raw := stack.RawFrame{PC: start + c.at, Exact: true}
		leaf := stack.Leaf{SP: bp - 32, BP: bp, R9: c.r9, Words: c.words}
		frame, offset, ok := New(&layout.Layout{}).BytecodeOffset(p, raw, leaf)
		if ok != c.ok || ok && (frame != c.frame || offset != c.offset) {
			t.Errorf("at %d, r9 %d: frame %d, offset %d, %v, want %+v", c.at, c.r9, frame, offset, ok, c)
		}
		if raw.Exact = false; ok {
			if _, _, ok := New(&layout.Layout{}).BytecodeOffset(p, raw, leaf); ok {
				t.Errorf("at %d: a caller is at another place than it was interrupted", c.at)
			}
		}
	}
}
