package layout

import (
	"bytes"
	"debug/elf"
	"encoding/hex"
	"errors"
	"strings"
	"testing"
)

// Machine code of official builds as objdump prints it, by GCC (Node 22, 24) and clang (26).
var functions = []struct {
	name, code string
	field      Field
	want       int64
}{
	{"TLS, local exec, 24.21", "64 48 8b 04 25 60 ff ff ff c3", IsolateTLS, -0xa0},
	{"TLS, local exec, 26.10", "55 48 89 e5 64 48 8b 04 25 88 fe ff ff 5d c3", IsolateTLS, -0x178},
	{"context, 22.23", "48 83 bf 20 01 00 00 00 0f 95 c0 c3", IsolateContext, 0x120},
	{"context, 26.10", "55 48 89 e5 48 83 bf 58 01 00 00 00 0f 95 c0 5d c3", IsolateContext, 0x158},
	{"embedder data, 24.21",
		"55 48 89 e5 41 54 48 83 ec 18 4c 8b a7 78 02 00 00 48 8b 87 30 02 00 00 48 3b 87 38 02 00 00 74 17" +
			"48 8d 50 08 48 89 97 30 02 00 00 4c 89 20 4c 8b 65 f8 c9 c3", IsolateCPED, 0x278},
	{"isolate key, 18.20", "8b 3d 00 08 00 00 e9 c5 09 15 01", IsolateKey, fakeBase + 0x880}, // rip is at +0x80
	{"embedder data, 26.10",
		"55 48 89 e5 48 8b 87 30 02 00 00 48 8b 8f a8 02 00 00 48 3b 87 38 02 00 00 74 10 48 8d 50 08" +
			"48 89 97 30 02 00 00 48 89 08 5d c3", IsolateCPED, 0x2a8},
	{"heap, 22.23", "55 48 89 e5 41 55 41 54 41 89 f4 53 48 89 fb 48 83 ec 08 0f b6 87 44 eb 00 00 84 c0 48 83 c4 08" +
		"48 8d bb a0 de 00 00 44 89 e6", IsolateHeap, 0xdea0},
	{"heap, 26.10", "0f b6 87 ec ff 00 00 41 39 c7 0f 94 c0 49 81 c6 c0 f3 00 00 0f b6 d0 4c 89 f7", IsolateHeap,
		0xf3c0},
	{"c_entry_fp, 24.21", "55 48 89 e5 6a 06 6a 00 49 89 ad c0 00 00 00 49 89 b5 d0 00 00 00", IsolateCEntryFP, 0x140},
	{"VM state, 22.23", "48 83 bf a8 01 00 00 00 75 20 40 84 f6 74 11 ba 08 00 00 00 66 89 97 b8 01 00 00 c3",
		IsolateVMState, 0x1b8},
	{"VM state, 26.10", "55 48 89 e5 48 83 bf e0 01 00 00 00 74 02 5d c3 66 b8 08 00 40 84 f6 75 0e 66 b8 0a 00" +
		"66 83 bf f0 01 00 00 08 75 e7 66 89 87 f0 01 00 00 5d c3", IsolateVMState, 0x1f0},
	{"GC state, 26.10", "55 48 89 e5 89 b7 28 02 00 00 5d c3", HeapGCState, 0x228},
	{"mark-compacts, 24.21", "48 83 ec 28 83 83 38 02 00 00 01 48 83 c4 28 c3", HeapMSCount, 0x238},
	{"mark-compacts, 26.10", "48 83 ec 28 ff 83 40 02 00 00 48 83 c4 28 c3", HeapMSCount, 0x240},
}

// run gives a function's code the name that the field's row reads, and returns the row's answer.
func run(t *testing.T, f Field, code []byte) (int64, error) {
	t.Helper()
	for _, r := range table {
		if r.field != f {
			continue
		}
		name := strings.TrimSuffix(r.code.names[0], "*")
		im, err := openImage(bytes.NewReader(fake{machine: elf.EM_X86_64, syms: map[string][]byte{name: code}}.build()))
		if err != nil {
			t.Fatal(err)
		}
		im.loadSymbols(r.code.names)
		n, _, err := r.code.run(im)
		return n, err
	}
	t.Fatalf("no row of %s", f)
	return 0, nil
}

func TestAccessors(t *testing.T) {
	for _, c := range functions {
		code, err := hex.DecodeString(strings.ReplaceAll(c.code, " ", ""))
		if err != nil {
			t.Fatal(err)
		}
		if got, err := run(t, c.field, code); err != nil || got != c.want {
			t.Errorf("%s: %#x, %v; want %#x", c.name, got, err, c.want)
		}
	}
}

// What is not understood is an error, never a number.
func TestAccessorsRefuse(t *testing.T) {
	strange := map[string]string{
		"nothing":            "c3",
		"not code":           "06 06 06",
		"stack memory only":  "48 8b 45 f8 48 89 45 f0 c3",
		"cut in a register":  "48 83",
		"jump out of a file": "e9 00 00 00 70",
	}
	for name, text := range strange {
		code, err := hex.DecodeString(strings.ReplaceAll(text, " ", ""))
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range isolateRows {
			if n, err := run(t, r.field, code); err == nil {
				t.Errorf("%s: %s = %#x", name, r.field, n)
			}
		}
	}
	// The state is 0x10 behind js_entry_sp in every V8 known: 0x1c0 is something else.
	code, _ := hex.DecodeString("4883bfa801000000668997c0010000c3")
	if n, err := run(t, IsolateVMState, code); !errors.Is(err, errPattern) {
		t.Errorf("VM state: %#x, %v", n, err)
	}
}
