package live

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// Addon builds an add-on for Node.js from a source in C or C++ with the headers of a version, and returns its path.
func Addon(t testing.TB, node, source string, arguments ...string) string {
	t.Helper()
	compiler := "gcc"
	if strings.HasSuffix(source, ".cc") {
		compiler = "g++"
	}
	name := filepath.Base(source)
	out := filepath.Join(t.TempDir(), strings.TrimSuffix(name, filepath.Ext(name))+".node")
	headers := filepath.Join(filepath.Dir(filepath.Dir(node)), "include", "node")
	arguments = append([]string{"-shared", "-fPIC", "-O1", "-Wall", "-I" + headers, "-o", out, source}, arguments...)
	if text, err := exec.Command(compiler, arguments...).CombinedOutput(); err != nil {
		t.Fatalf("%s %v: %v\n%s", compiler, arguments, err, text)
	}
	return out
}
