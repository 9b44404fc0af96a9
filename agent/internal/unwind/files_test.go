package unwind

import (
	"debug/elf"
	"os"
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
