package x86

import "testing"

// TestSameInstructions: code is the same but for the objects that it refers to, wherever these are in it.
func TestSameInstructions(t *testing.T) {
	// push rbp; mov r10, object; mov rax, object; ret
	code := []byte{0x55, 0x49, 0xba, 1, 2, 3, 4, 5, 6, 7, 8, 0x48, 0xb8, 1, 2, 3, 4, 5, 6, 7, 8, 0xc3}
	with := func(at int, bytes ...byte) []byte {
		b := append([]byte{}, code...)
		copy(b[at:], bytes)
		return b
	}
	for _, c := range []struct {
		name  string
		other []byte
		want  bool
	}{
		{"the same", with(0), true},
		{"the first object", with(3, 9, 9, 9, 9, 9, 9, 9, 9), true},
		{"the last byte of an object", with(20, 9), true},
		{"both objects", append(with(3, 9, 9)[:13], 8, 7, 6, 5, 4, 3, 2, 1, 0xc3), true},
		{"a part of it", code[:12], true},
		{"another instruction", with(0, 0x56), false},
		{"another register", with(2, 0xb9), false},
		{"what follows an object", with(21, 0xcc), false},
		{"nothing was read", nil, false},
	} {
		if got := SameInstructions(code, c.other); got != c.want {
			t.Errorf("%s: %v", c.name, got)
		}
		if got := SameInstructions(c.other, code); got != c.want {
			t.Errorf("%s, the other way: %v", c.name, got)
		}
	}
}
