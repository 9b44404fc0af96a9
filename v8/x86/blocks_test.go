package x86

import (
	"bytes"
	"testing"

	"golang.org/x/arch/x86/x86asm"
)

// Assembled by hand; each piece begins 16 bytes behind the limit.
func TestJumpBack(t *testing.T) {
	const none = 1
	for _, c := range []struct {
		name string
		code []byte
		want int // from the limit on
	}{
		{"nothing", nil, none},
		{"jmp rel32 back", []byte{0xe9, 0xb0, 0xff, 0xff, 0xff}, 16 + 5 - 80},
		{"jmp rel8 back", []byte{0xeb, 0xc0}, 16 + 2 - 64},
		{"mov, add, jmp back", []byte{0x48, 0x89, 0xc3, 0x48, 0x83, 0xc0, 0x08, 0xeb, 0xc0}, 16 + 9 - 64},
		{"conditional jump back", []byte{0x74, 0xb0}, 16 + 2 - 80},
		{"conditional jump of six bytes", []byte{0x0f, 0x84, 0x9c, 0xff, 0xff, 0xff}, 16 + 6 - 100},
		{"to the limit", []byte{0xeb, 0xee}, 0},
		{"ahead, not taken, then back", []byte{0x74, 0x10, 0xeb, 0xc0}, 16 + 4 - 64},
		{"ahead over a jump, then back", []byte{0xeb, 0x02, 0xeb, 0xc0, 0xeb, 0xb0}, 16 + 6 - 80},
		{"back behind the limit, then on", []byte{0x74, 0x02, 0xeb, 0xfa, 0xeb, 0xb0}, none}, // and so for ever
		{"a call is no jump", []byte{0xe8, 0x9b, 0xff, 0xff, 0xff, 0xeb, 0xc0}, 16 + 7 - 64},
		{"vmovsd, jmp back", []byte{0xc5, 0xfb, 0x11, 0x04, 0x24, 0xeb, 0xc0}, 16 + 7 - 64},
		{"return comes first", []byte{0xc3, 0xeb, 0xc0}, none},
		{"trap comes first", []byte{0xcc, 0xeb, 0xc0}, none},
		{"indirect jump", []byte{0xff, 0xe0, 0xeb, 0xc0}, none},
		{"for ever", []byte{0xeb, 0xfe}, none},
		{"cut off", []byte{0xe9, 0xb0, 0xff}, none},
		{"no instruction", []byte{0x06, 0xeb, 0xc0}, none},
		{"too far away", append(nops(96), 0xeb, 0x80), none},
		{"just near enough", append(nops(95), 0xeb, 0x80), 16 + 97 - 128},
	} {
		got, ok := JumpBack(append(nops(16), c.code...), 16)
		if ok != (c.want != none) || ok && got != c.want {
			t.Errorf("%s: %d, %v, want %d", c.name, got, ok, c.want)
		}
	}
}

func TestFind(t *testing.T) {
	for _, c := range []struct {
		name string
		code []byte
		want bool
	}{
		{"nothing", nil, false},
		{"straight", []byte{0x48, 0x89, 0xc3, 0x41, 0xff, 0xd2}, false}, // mov, call r10
		{"conditional jump", []byte{0x74, 0x10, 0x90}, false},
		{"jump", []byte{0x90, 0xeb, 0xc0, 0x90}, true},
		{"return", []byte{0xc2, 0x18, 0x00}, true},
		{"no instruction first", []byte{0x06, 0xeb, 0xc0}, false},
		{"jump that is cut off", []byte{0x90, 0xe9, 0xc0, 0x90}, false},
	} {
		if _, got, _ := Find(c.code, len(c.code), x86asm.JMP, x86asm.RET); got != c.want {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
	call := []byte{0x90, 0xe8, 0xff, 0x61, 0xe2, 0x1f} // the distance could be a jump
	for n, want := range map[int]int{0: 0, 1: 1, 2: 6, 6: 6} {
		end, found, err := Find(call, n, x86asm.JMP, x86asm.CALL)
		if end != want || found != (want == 6) || err != nil {
			t.Errorf("call in %d bytes: %d, %v (%v), want %d", n, end, found, err, want)
		}
	}
}

func TestFindEnds(t *testing.T) {
	code := []byte{0x48, 0x89, 0xc3, 0xe8, 0, 0, 0, 0, 0x90, 0xeb, 0xc0, 0x90} // mov, call, nop, jmp, nop
	end := func(b []byte, kinds ...x86asm.Op) int {
		end, _, _ := Find(b, len(b), kinds...)
		return end
	}
	for n, got := range map[int]int{
		8: end(code, x86asm.JMP, x86asm.CALL), 11: end(code, x86asm.JMP), 12: end(code, x86asm.RET),
		3: end(code[:7], x86asm.CALL), 0: end(nil, x86asm.CALL),
	} {
		if got != n {
			t.Errorf("%d bytes, want %d", got, n)
		}
	}
}

func TestDeferredStart(t *testing.T) {
	for _, c := range []struct {
		name string
		code []byte
		want int
	}{
		{"no return", []byte{0x90, 0xeb, 0xc0}, 3},
		{"two returns", []byte{0x90, 0xc2, 0x18, 0x00, 0x90, 0xc3, 0xeb, 0xc0}, 6},
		// mov rax,imm64
		{"a return that is data", []byte{0xc3, 0x48, 0xb8, 0xc3, 0xc3, 0xc3, 0xc3, 0xc3, 0xc3, 0xc3, 0xc3}, 1},
		{"behind a table", []byte{0x06, 0x07, 0xc3}, 3},
		// jmp 3; ret; inc eax; jne 3; nop; jmp 2
		{"a loop behind the return", []byte{0xeb, 0x01, 0xc3, 0xff, 0xc0, 0x75, 0xfc, 0x90, 0xeb, 0xf8}, 7},
	} {
		if got := DeferredStart(c.code); got != c.want {
			t.Errorf("%s: %d, want %d", c.name, got, c.want)
		}
	}
}

func TestBack(t *testing.T) {
	for _, c := range []struct {
		name string
		code []byte
		at   int
		want int // -1: none
	}{
		// jb 4; nop; ret; nop; nop; jmp 2
		{"out of line", []byte{0x72, 0x02, 0x90, 0xc3, 0x90, 0x90, 0xeb, 0xfa}, 5, 2},
		{"proper", []byte{0x72, 0x02, 0x90, 0xc3, 0x90, 0x90, 0xeb, 0xfa}, 2, -1},
		// jmp 2: a loop's head; jb 5; ret; nop; jmp 2
		{"a loop", []byte{0xeb, 0x00, 0x72, 0x01, 0xc3, 0x90, 0xeb, 0xfa}, 5, -1},
		// nop; ret; nop; jmp 0: nothing jumps there
		{"not jumped to", []byte{0x90, 0xc3, 0x90, 0xeb, 0xfb}, 2, -1},
		// jb 3; ret; nop; ret
		{"returns", []byte{0x72, 0x01, 0xc3, 0x90, 0xc3}, 3, -1},
		{"no code", []byte{0x06}, 0, -1},
		{"behind all", []byte{0xc3}, 1, -1},
	} {
		if got, ok := Back(c.code, 0, c.at); ok != (c.want >= 0) || ok && got != c.want {
			t.Errorf("%s: %d, %v, want %d", c.name, got, ok, c.want)
		}
	}
}

func FuzzBlocks(f *testing.F) {
	f.Add([]byte{0x90, 0xc2, 0x18, 0x00, 0x90, 0xc3, 0xeb, 0xc0})
	f.Fuzz(func(t *testing.T, b []byte) {
		if end, _, _ := Find(b, len(b), x86asm.JMP); end > len(b) {
			t.Fatalf("%x: %d bytes", b, end)
		}
		if back, ok := Back(b, 0, len(b)/2); ok && back > len(b)/2 {
			t.Fatalf("%x goes back to %d", b, back)
		}
		if got := DeferredStart(b); got > len(b) || got < min(1, len(b)) {
			t.Fatalf("%x ends at %d", b, got)
		}
	})
}

func nops(n int) []byte { return bytes.Repeat([]byte{0x90}, n) }

func FuzzJumpBack(f *testing.F) {
	f.Add([]byte{0x74, 0x10, 0xeb, 0xc0}, uint16(0))
	f.Add([]byte{0xe9, 0xb0, 0xff, 0xff, 0xff}, uint16(5))
	f.Fuzz(func(t *testing.T, b []byte, at uint16) {
		if got, ok := JumpBack(b, int(at)); ok && got > 0 {
			t.Fatalf("%x from %d to %d", b, at, got)
		}
	})
}
