package stack

import (
	"testing"

	"golang.org/x/arch/x86/x86asm"
)

// Assembled by hand; each piece begins one byte behind the offset that is asked for, at 99.
func TestJumpBack(t *testing.T) {
	for _, c := range []struct {
		name string
		code []byte
		want int // 99: the offset itself
	}{
		{"nothing", nil, 99},
		{"jmp rel32 back", []byte{0xe9, 0xb0, 0xff, 0xff, 0xff}, 100 + 5 - 80},
		{"jmp rel8 back", []byte{0xeb, 0xc0}, 100 + 2 - 64},
		{"mov, add, jmp back", []byte{0x48, 0x89, 0xc3, 0x48, 0x83, 0xc0, 0x08, 0xeb, 0xc0}, 100 + 9 - 64},
		{"conditional jump back", []byte{0x74, 0xb0}, 100 + 2 - 80},
		{"conditional jump of six bytes", []byte{0x0f, 0x84, 0x9c, 0xff, 0xff, 0xff}, 100 + 6 - 100},
		{"to the limit", []byte{0xeb, 0xee}, 84},
		{"behind the limit, then back", []byte{0xeb, 0xf0, 0xeb, 0xc0}, 100 + 4 - 64},
		{"ahead, then back", []byte{0x74, 0x10, 0xeb, 0xc0}, 100 + 4 - 64},
		{"before the code's start", []byte{0xe9, 0x00, 0xff, 0xff, 0xff}, 99},
		{"a call is no jump", []byte{0xe8, 0x9b, 0xff, 0xff, 0xff, 0xeb, 0xc0}, 100 + 7 - 64},
		{"return comes first", []byte{0xc3, 0xeb, 0xc0}, 99},
		{"trap comes first", []byte{0xcc, 0xeb, 0xc0}, 99},
		{"indirect jump goes on", []byte{0xff, 0xe0, 0xeb, 0xc0}, 100 + 4 - 64},
		{"cut off", []byte{0xe9, 0xb0, 0xff}, 99},
		{"no instruction", []byte{0x06, 0xeb, 0xc0}, 99},
		{"too far away", append(make48(0x90), 0xeb, 0x80), 99},
		{"just near enough", append(make48(0x90)[1:], 0xeb, 0x80), 100 + 49 - 128},
	} {
		if got := jumpBack(c.code, 99, 84); got != c.want {
			t.Errorf("%s: %d, want %d", c.name, got, c.want)
		}
	}
}

func TestHas(t *testing.T) {
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
		if got, _ := has(c.code, len(c.code), x86asm.JMP, x86asm.RET); got != c.want {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
	call := []byte{0x90, 0xe8, 0xff, 0x61, 0xe2, 0x1f} // the distance could be a jump
	for n, want := range map[int]bool{0: false, 5: false, 6: true} {
		if got, err := has(call, n, x86asm.JMP, x86asm.CALL); got != want || err != nil {
			t.Errorf("call in %d bytes: %v (%v), want %v", n, got, err, want)
		}
	}
}

func TestProperEnd(t *testing.T) {
	for _, c := range []struct {
		name string
		code []byte
		want int
	}{
		{"no return", []byte{0x90, 0xeb, 0xc0}, maxDeferredScan},
		{"two returns", []byte{0x90, 0xc2, 0x18, 0x00, 0x90, 0xc3, 0xeb, 0xc0}, 6},
		// mov rax,imm64
		{"a return that is data", []byte{0xc3, 0x48, 0xb8, 0xc3, 0xc3, 0xc3, 0xc3, 0xc3, 0xc3, 0xc3, 0xc3}, 1},
		{"behind a table", []byte{0x06, 0x07, 0xc3}, 3},
	} {
		if got := deferredStart(c.code); got != c.want {
			t.Errorf("%s: %d, want %d", c.name, got, c.want)
		}
	}
}

func FuzzBlocks(f *testing.F) {
	f.Add([]byte{0x90, 0xc2, 0x18, 0x00, 0x90, 0xc3, 0xeb, 0xc0})
	f.Fuzz(func(t *testing.T, b []byte) {
		has(b, len(b), x86asm.JMP)
		if got := deferredStart(b); got < 1 || got > len(b) && got != maxDeferredScan {
			t.Fatalf("%x ends at %d", b, got)
		}
	})
}

func make48(b byte) []byte {
	out := make([]byte, 48)
	for i := range out {
		out[i] = b
	}
	return out
}

func FuzzJumpBack(f *testing.F) {
	f.Add([]byte{0x74, 0x10, 0xeb, 0xc0}, uint16(99), uint16(84))
	f.Add([]byte{0xe9, 0xb0, 0xff, 0xff, 0xff}, uint16(0), uint16(0))
	f.Fuzz(func(t *testing.T, b []byte, offset, limit uint16) {
		got := jumpBack(b, int(offset), int(limit))
		if got != int(offset) && (got < 0 || got > int(limit)) {
			t.Fatalf("%x from %d to %d, limit %d", b, offset, got, limit)
		}
	})
}
