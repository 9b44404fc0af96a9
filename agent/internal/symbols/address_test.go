package symbols

import (
	"bytes"
	"debug/elf"
	"testing"
)

// TestBytes reads from an address in the second of two segments, of which the file has 4 bytes and memory has 8.
func TestBytes(t *testing.T) {
	text := elf.ProgHeader{Type: elf.PT_LOAD, Vaddr: 0x1000, Filesz: 4, Memsz: 4}
	data := elf.ProgHeader{Type: elf.PT_LOAD, Vaddr: 0x2000, Filesz: 4, Memsz: 8}
	f := &elf.File{Progs: []*elf.Prog{
		{ProgHeader: text, ReaderAt: bytes.NewReader([]byte("text"))},
		{ProgHeader: data, ReaderAt: bytes.NewReader([]byte("data"))},
	}}
	for _, c := range []struct {
		addr, limit uint64
		want        string
		fails       bool
	}{
		{0x1000, 100, "text", false},
		{0x2001, 100, "ata", false},
		{0x2001, 2, "at", false},
		{0xfff, 100, "", true},
		{0x2004, 100, "", true}, // in memory only
	} {
		got, err := Bytes(f, c.addr, c.limit)
		if string(got) != c.want || (err != nil) != c.fails {
			t.Errorf("%#x, at most %d bytes: %q, %v", c.addr, c.limit, got, err)
		}
	}
}
