package unwind

import (
	"debug/elf"
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
