package symbols

import (
	"bytes"
	"os"
	"os/exec"
	"testing"
)

func openFile(t testing.TB, path string) *Table {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	table, err := Open(f)
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	return table
}

// binutils runs one of its tools and returns what it prints.
func binutils(t testing.TB, stdin []byte, tool string, args ...string) []byte {
	t.Helper()
	cmd := exec.Command(tool, args...)
	cmd.Stdin = bytes.NewReader(stdin)
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("this test compares with %s, install binutils: %v", tool, err)
	}
	return out
}

// entries returns all symbols of a table.
func entries(t *Table) (all []entry) {
	for i := range t.source.Len() {
		t.source.visit(i, func(e entry) bool {
			e.name = bytes.Clone(e.name)
			all = append(all, e)
			return true
		})
	}
	return all
}
