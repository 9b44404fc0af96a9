// Package vdso has a shared object for tests of what reads such files: it is small, and has all that is read of one.
package vdso

import (
	"fmt"
	"io"
	"os"
	"strings"
	"testing"
)

// Image is the shared object that the kernel maps into this process. (vdso(7))
func Image(t testing.TB) []byte {
	t.Helper()
	maps, err := os.ReadFile("/proc/self/maps")
	if err != nil {
		t.Fatal(err)
	}
	mem, err := os.Open("/proc/self/mem")
	if err != nil {
		t.Fatal(err)
	}
	defer mem.Close()
	for line := range strings.Lines(string(maps)) {
		if !strings.HasSuffix(line, " [vdso]\n") {
			continue
		}
		var start, end int64
		if _, err := fmt.Sscanf(line, "%x-%x", &start, &end); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		b, err := io.ReadAll(io.NewSectionReader(mem, start, end-start))
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	t.Fatal("this process has no [vdso]")
	return nil
}
