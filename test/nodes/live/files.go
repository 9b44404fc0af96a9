package live

import (
	"os"
	"testing"

	"github.com/hotspan/hotspan/test/nodes"
)

// Musl stands for a version where one is wanted: that of nodes.Musl.
const Musl = "musl"

// Binary returns the path of an official Node.js, or of Musl, with which processes of the test find its libraries.
func Binary(t testing.TB, version string) string {
	t.Helper()
	if version == Musl {
		path, libraries, err := nodes.Musl()
		if err != nil {
			t.Fatal(err)
		}
		t.Setenv("LD_LIBRARY_PATH", libraries)
		return path
	}
	path, err := nodes.Path(version)
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// Libc returns the path of the machine's C library.
func Libc(t testing.TB) string {
	t.Helper()
	return FirstFile(t, "/lib/x86_64-linux-gnu/libc.so.6", "/lib64/libc.so.6", "/usr/lib/libc.so.6")
}

// FirstFile returns the first of some paths at which there is a file.
func FirstFile(t testing.TB, paths ...string) string {
	t.Helper()
	for _, p := range paths {
		if _, err := os.Stat(p); err == nil {
			return p
		}
	}
	t.Fatalf("none of %q exists", paths)
	return ""
}
