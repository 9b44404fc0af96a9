// Package repo holds the repository's rules, as tests: which package may import which; how long a file, a function and
// a line may be; what must have a doc comment; which words no name has; what documents may refer to. They check all
// files that git tracks or would track. Each rule has a test that shows what breaks it.
package repo

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// module is the path of the product's Go module.
const module = "github.com/hotspan/hotspan"

// root is the path of the repository from this folder, where tests run.
const root = "../.."

// files lists the repository's files by their paths from its root. Files that are deleted but not yet committed are
// left out.
func files(t *testing.T) []string {
	t.Helper()
	cmd := exec.Command("git", "ls-files", "-z", "--cached", "--others", "--exclude-standard")
	cmd.Dir = root
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("git ls-files: %v: %s", err, stderr.Bytes())
	}
	var list []string
	for _, name := range strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00") {
		if info, err := os.Lstat(filepath.Join(root, name)); err == nil && info.Mode().IsRegular() {
			list = append(list, name)
		}
	}
	if len(list) < 100 {
		t.Fatalf("git ls-files lists only %d files: the rules would check nothing", len(list))
	}
	return list
}

// withSuffix lists the repository's files whose names end in one of the suffixes.
func withSuffix(t *testing.T, suffixes ...string) []string {
	t.Helper()
	var list []string
	for _, name := range files(t) {
		for _, s := range suffixes {
			if strings.HasSuffix(name, s) {
				list = append(list, name)
			}
		}
	}
	if len(list) == 0 {
		t.Fatalf("no file ends in %v: the rule checks nothing", suffixes)
	}
	return list
}

func read(t *testing.T, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(root, name))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// isText reports whether a file is text rather than an object or an image.
func isText(b []byte) bool { return bytes.IndexByte(b, 0) < 0 }

// isData reports whether a file is generated or is the input of a test.
func isData(name string, b []byte) bool {
	switch filepath.Base(name) {
	case "go.sum", "package-lock.json", "LICENSE", "results.jsonl":
		return true
	}
	return strings.Contains(name, "testdata/") || bytes.HasPrefix(b, []byte("// Code generated "))
}
