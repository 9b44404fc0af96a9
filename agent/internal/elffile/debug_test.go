package elffile

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"golang.org/x/sys/unix"

	"github.com/hotspan/hotspan/test/nodes"
	"github.com/hotspan/hotspan/v8/layout"
)

func tool(t *testing.T, name string, args ...string) {
	t.Helper()
	if out, err := exec.Command(name, args...).CombinedOutput(); err != nil {
		t.Fatalf("%s: %v: %s", name, err, out)
	}
}

// newest is a Node.js of the list that keeps bytecode sizes and more as local symbols, which strip takes away.
func newest(t *testing.T) string {
	t.Helper()
	all := nodes.Versions()
	path, err := nodes.Path(all[len(all)-1].Version)
	if err != nil {
		t.Fatal(err)
	}
	return path
}

func loadPath(t *testing.T, path string, roots ...string) *File {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	c := NewCache(nil)
	return newFile(path, c.load(f, roots...))
}

// A stripped Node.js with its separate debug file is as good as the whole one, of which both were made by binutils.
func TestDebugFile(t *testing.T) {
	path, dir := newest(t), t.TempDir()
	whole := loadPath(t, path)
	stripped := filepath.Join(dir, "node")
	tool(t, "strip", "-o", stripped, path)
	debug := filepath.Join(dir, debugDir, whole.BuildID[:2], whole.BuildID[2:]+".debug")
	if err := os.MkdirAll(filepath.Dir(debug), 0o755); err != nil {
		t.Fatal(err)
	}

	without := loadPath(t, stripped, dir)
	if without.Layout.WasmState != 0 {
		t.Fatal("the stripped copy has still local symbols: it proves nothing")
	}
	tool(t, "objcopy", "--only-keep-debug", path, debug)
	with := loadPath(t, stripped, t.TempDir(), dir) // the first of the roots has none
	if diff := cmp.Diff(whole.Layout, with.Layout, cmpopts.EquateEmpty(),
		cmpopts.IgnoreUnexported(layout.Layout{})); diff != "" {
		t.Errorf("layout (-whole +stripped with debug file):\n%s", diff)
	}
	for at := whole.Layout.Text.Start; at < whole.Layout.Text.End; at += 4096 {
		want, _ := whole.Symbols.Lookup(at)
		if got, _ := with.Symbols.Lookup(at); got != want {
			t.Fatalf("symbol at %#x is %v, want %v", at, got, want)
		}
	}
	if len(with.Problems) > 0 {
		t.Error(with.Problems)
	}
}

// Names of another build would be wrong ones.
func TestDebugFileOfAnotherBuild(t *testing.T) {
	path, dir := newest(t), t.TempDir()
	stripped := filepath.Join(dir, "node")
	tool(t, "strip", "-o", stripped, path)
	id := loadPath(t, stripped).BuildID
	debug := filepath.Join(dir, debugDir, id[:2], id[2:]+".debug")
	if err := os.MkdirAll(filepath.Dir(debug), 0o755); err != nil {
		t.Fatal(err)
	}
	cat, err := exec.LookPath("cat")
	if err != nil {
		t.Fatal(err)
	}
	tool(t, "cp", cat, debug)
	f := loadPath(t, stripped, dir)
	if len(f.Problems) != 1 || !strings.Contains(f.Problems[0].Error(), "its build id is ") {
		t.Errorf("problems %v, want that the build id is another", f.Problems)
	}
	if err := os.WriteFile(debug, []byte("no ELF"), 0o644); err != nil {
		t.Fatal(err)
	}
	if f := loadPath(t, stripped, dir); len(f.Problems) != 1 ||
		!strings.Contains(f.Problems[0].Error(), filepath.Base(debug)) {
		t.Errorf("problems %v, want one of %s", f.Problems, debug)
	}
	// nobody writes: open(2) would wait
	if err := errors.Join(os.Remove(debug), unix.Mkfifo(debug, 0o644)); err != nil {
		t.Fatal(err)
	}
	if f := loadPath(t, stripped, dir); len(f.Problems) != 1 ||
		!strings.Contains(f.Problems[0].Error(), "not a regular file") {
		t.Errorf("problems %v, want that it is not a regular file", f.Problems)
	}
}
