package layout

import (
	"debug/elf"
	"testing"
)

func TestTLSBase(t *testing.T) {
	tls := &elf.Prog{ProgHeader: elf.ProgHeader{Type: elf.PT_TLS, Memsz: 0x1a5, Align: 8}}
	interp := &elf.Prog{ProgHeader: elf.ProgHeader{Type: elf.PT_INTERP}}
	for _, c := range []struct {
		name  string
		typ   elf.Type
		progs []*elf.Prog
		want  int64 // 0: not known
	}{
		{"executable", elf.ET_EXEC, []*elf.Prog{tls}, 0x1a8},
		{"position-independent executable", elf.ET_DYN, []*elf.Prog{interp, tls}, 0x1a8},
		{"shared library: the loader chooses", elf.ET_DYN, []*elf.Prog{tls}, 0},
		{"no thread-local data", elf.ET_EXEC, []*elf.Prog{interp}, 0},
	} {
		im := &image{elf: &elf.File{FileHeader: elf.FileHeader{Type: c.typ}, Progs: c.progs}}
		got, ok := im.tlsBase()
		if ok != (c.want != 0) || ok && got != c.want {
			t.Errorf("%s: %#x, %v; want %#x", c.name, got, ok, c.want)
		}
	}
}
