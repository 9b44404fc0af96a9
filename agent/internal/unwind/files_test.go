package unwind

import (
	"bytes"
	"debug/elf"
	"io"
	"os"
	"testing"
)

// vdso returns the image of the shared object that the kernel maps into this process.
func vdso(t testing.TB) []byte {
	t.Helper()
	for _, m := range mappings(t, os.Getpid()) {
		if m.path == "[vdso]" {
			return read(t, os.Getpid(), m)
		}
	}
	t.Fatal("this process has no [vdso]")
	return nil
}

func buildFile(t testing.TB, path string) *Table {
	t.Helper()
	f, err := elf.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	table, err := Build(f)
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	return table
}

func stored(t testing.TB, table *Table) *Table {
	t.Helper()
	section := func(b []byte) *io.SectionReader { return io.NewSectionReader(bytes.NewReader(b), 0, int64(len(b))) }
	out, err := Stored{
		Base: table.Base, Unsupported: table.Unsupported,
		Rows: section(table.AppendRows(nil)), Kept: section(table.EncodedKept()),
	}.Table()
	if err != nil {
		t.Fatal(err)
	}
	return out
}
