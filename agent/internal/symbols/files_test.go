package symbols

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// nodeBinary returns the path of an official Node binary, which `make test` puts into the user's cache folder.
func nodeBinary(t testing.TB, version string) string {
	t.Helper()
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	return firstFile(t, filepath.Join(cache, "hotspan/node", version, "bin/node"))
}

// libc returns the path of the machine's C library.
func libc(t testing.TB) string {
	t.Helper()
	return firstFile(t, "/lib/x86_64-linux-gnu/libc.so.6", "/lib64/libc.so.6", "/usr/lib/libc.so.6")
}

func firstFile(t testing.TB, paths ...string) string {
	t.Helper()
	for _, p := range paths {
		if _, err := os.Stat(p); err == nil {
			return p
		}
	}
	t.Fatalf("none of %q exists; `make test` prepares what the tests need", paths)
	return ""
}

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
