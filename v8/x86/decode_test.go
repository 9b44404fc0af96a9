package x86

import (
	"bytes"
	"encoding/hex"
	"os"
	"strings"
	"testing"
)

// instructions are of code of TurboFan of Node 16 and 24, as V8's own disassembler divided it, with the names that it
// gave them: one of each name, and those with a VEX prefix in all forms that were met.
const instructions = "testdata/instructions.txt"

func TestDecode(t *testing.T) {
	content, err := os.ReadFile(instructions)
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for line := range strings.Lines(string(content)) {
		digits, name, _ := strings.Cut(strings.TrimSpace(line), " ")
		b, err := hex.DecodeString(digits)
		if err != nil {
			t.Fatal(err)
		}
		n++
		for _, more := range [][]byte{nil, nops(MaxInstruction), bytes.Repeat([]byte{0xff}, MaxInstruction)} {
			if in, err := Decode(append(bytes.Clone(b), more...)); err != nil || in.Len != len(b) {
				t.Errorf("%x, %s: %d bytes, %v", b, name, in.Len, err)
			}
		}
		if in, err := Decode(b[:len(b)-1]); err == nil && in.Len >= len(b) {
			t.Errorf("%x, %s, cut off: %d bytes", b, name, in.Len)
		}
	}
	if n < 150 {
		t.Fatalf("%d instructions", n)
	}
}
