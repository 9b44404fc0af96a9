package symbolize

import (
	"debug/elf"
	"os"
	"testing"

	"github.com/hotspan/hotspan/agent/internal/elffile"
	"github.com/hotspan/hotspan/agent/internal/process"
	"github.com/hotspan/hotspan/agent/internal/symbols"
)

// TestNativeAt: of a function that goes beyond what is mapped that much counts, and one that begins before it has no
// code here.
func TestNativeAt(t *testing.T) {
	const name = "/lib/x86_64-linux-gnu/libc.so.6"
	file, err := elf.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	of, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer of.Close()
	table, err := symbols.Open(of)
	if err != nil {
		t.Fatal(err)
	}
	all, err := file.DynamicSymbols()
	if err != nil {
		t.Fatal(err)
	}
	var f elf.Symbol
	for _, s := range all {
		if s.Name == "getenv" {
			f = s
		}
	}
	const bias = 0x10000
	begin, end := f.Value+bias, f.Value+f.Size+bias
	in := &elffile.File{Path: name, Symbols: table, Number: 7}
	for _, c := range []struct {
		what       string
		file       *elffile.File
		start, end uint64
		size       uint64 // 0: there is none
	}{
		{"whole", in, begin - 100, end + 100, f.Size},
		{"cut", in, begin, begin + 20, 20},
		{"begins before", in, begin + 1, end, 0},
		{"stripped", &elffile.File{Path: name}, begin, end, 0},
	} {
		r := process.Region{Start: c.start, End: c.end, Bias: bias, File: c.file}
		got, ok := nativeAt(&r, begin+10)
		if ok != (c.size > 0) || got.Size != c.size || ok && (got.Start != begin || got.File != 7 ||
			got.Function.Function != f.Name || got.Function.Address != f.Value || got.Function.Module != name) {
			t.Errorf("%s: %v, %+v, want %d bytes at 0x%x", c.what, ok, got, c.size, begin)
		}
	}
}
