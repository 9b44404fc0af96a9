package x86

import (
	"slices"
	"testing"
)

// Pieces of handlers, as V8 makes them. A call goes to its own end, as does no call of a builtin.
var (
	readOperand   = []byte{0x4b, 0x0f, 0xbe, 0x5c, 0x0c, 0x01}       // movsx rbx,byte [r12+r9+1]
	advance       = []byte{0x49, 0x83, 0xc1, 0x03}                   // add r9,3
	advanceByCopy = []byte{0x49, 0x8d, 0x51, 0x03, 0x4c, 0x8b, 0xca} // lea rdx,[r9+3]; mov r9,rdx
	jumpBack      = []byte{0x4c, 0x2b, 0xcb}                         // sub r9,rbx
	makeFrame     = []byte{0x55, 0x48, 0x89, 0xe5, 0x6a, 0x10}       // push rbp; mov rbp,rsp; push 0x10
	spill         = []byte{0x4c, 0x89, 0x4d, 0xe8}                   // mov [rbp-0x18],r9
	overwrite     = []byte{0x48, 0x89, 0x45, 0xe8}                   // mov [rbp-0x18],rax
	reload        = []byte{0x4c, 0x8b, 0x4d, 0xe8}                   // mov r9,[rbp-0x18]
	call          = []byte{0xe8, 0, 0, 0, 0}                         //
	keepingCall   = []byte{0xe8, 0, 1, 0, 0}                         //
	leave         = []byte{0x48, 0x8b, 0xe5, 0x5d}                   // mov rsp,rbp; pop rbp
	save          = []byte{0x44, 0x89, 0x4d, 0xdc}                   // mov [rbp-0x24],r9d
	mask          = []byte{0x41, 0x83, 0xe1, 0x01}                   // and r9d,1
	dispatch      = []byte{0xff, 0xe1}                               // jmp rcx
)

// unless is a conditional jump over instructions.
func unless(code ...byte) []byte { return append([]byte{0x75, byte(len(code))}, code...) }

func TestHandler(t *testing.T) {
	unknown, inR9 := OffsetPlace{}, OffsetPlace{Known: true, InR9: true}
	passed, own := OffsetPlace{Known: true, InR9: true, Passed: 3}, OffsetPlace{Known: true, InR9: true, OwnFrame: true}
	slot := OffsetPlace{Known: true, OwnFrame: true, Slot: -0x18}
	for _, c := range []struct {
		name   string
		before [][]byte
		want   OffsetPlace
	}{
		{"first", [][]byte{readOperand}, inR9},
		{"advanced", [][]byte{readOperand, advance}, passed},
		{"advanced by a copy", [][]byte{readOperand, advanceByCopy}, passed},
		{"at the target of a jump", [][]byte{readOperand, jumpBack}, inR9},
		{"advanced on one of two ways", [][]byte{readOperand, unless(advance...)}, inR9},
		{"with a frame", [][]byte{readOperand, makeFrame}, own},
		{"spilled", [][]byte{readOperand, makeFrame, spill}, own},
		{"after a call", [][]byte{readOperand, makeFrame, spill, call}, slot},
		{"after a call that keeps registers", [][]byte{readOperand, makeFrame, spill, keepingCall}, own},
		{"after a call, not spilled", [][]byte{readOperand, makeFrame, call}, unknown},
		{"the word is another's", [][]byte{readOperand, makeFrame, spill, overwrite, call}, unknown},
		{"reloaded", [][]byte{readOperand, makeFrame, spill, call, reload}, own},
		{"without the frame again", [][]byte{readOperand, makeFrame, spill, call, reload, leave}, inR9},
		{"with a frame on one of two ways", [][]byte{readOperand, unless(makeFrame...)}, unknown},
		{"saved, and not read", [][]byte{save}, inR9},
		{"saved when it is another's", [][]byte{mask, save}, unknown},
		{"no offset any more", [][]byte{readOperand, mask}, unknown},
		{"neither read nor saved", [][]byte{advance}, unknown},
	} {
		code := slices.Concat(c.before...)
		end := len(code)
		keeps := func(target int) bool { return target == end+0x100 }
		if got := ReadHandler(append(code, dispatch...), keeps).At(end); got != c.want {
			t.Errorf("%s: %+v, want %+v", c.name, got, c.want)
		}
	}
}

func FuzzHandler(f *testing.F) {
	f.Add(slices.Concat(readOperand, makeFrame, spill, call, reload, leave, unless(advance...), jumpBack, dispatch))
	f.Fuzz(func(t *testing.T, b []byte) {
		h := ReadHandler(b, func(int) bool { return false })
		for at := range len(b) + 1 {
			if p := h.At(at); p.Known && !p.InR9 && !p.OwnFrame {
				t.Fatalf("%x at %d: %+v", b, at, p)
			}
		}
	})
}
