package elffile

import (
	"debug/elf"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/hotspan/hotspan/agent/internal/procs"
	"github.com/hotspan/hotspan/test/vdso"
)

// sleeper runs a copy of cat and returns the copy's path, its mapping with code, and its build id as readelf says.
func sleeper(t *testing.T) (path string, pid int, mapping func() procs.Mapping, buildID string) {
	t.Helper()
	cat, err := exec.LookPath("cat")
	if err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(cat)
	if err != nil {
		t.Fatal(err)
	}
	path = filepath.Join(t.TempDir(), "a program")
	if err := os.WriteFile(path, b, 0o755); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(path)
	in, err1 := cmd.StdinPipe()
	out, err2 := cmd.StdoutPipe()
	if err1 != nil || err2 != nil || cmd.Start() != nil {
		t.Fatal(err1, err2)
	}
	t.Cleanup(func() { in.Close(); cmd.Wait() })
	io.WriteString(in, "x")
	if _, err := io.ReadFull(out, make([]byte, 1)); err != nil {
		t.Fatal(err)
	}
	mapping = func() procs.Mapping {
		t.Helper()
		maps, err := procs.Maps(cmd.Process.Pid)
		i := slices.IndexFunc(maps, func(m procs.Mapping) bool { return m.Exec && strings.HasPrefix(m.Path, path) })
		if err != nil || i < 0 {
			t.Fatalf("%s is not mapped: %v", path, err)
		}
		return maps[i]
	}
	notes, err := exec.Command("readelf", "-n", path).Output()
	if err != nil {
		t.Skipf("readelf (Debian: binutils) is the truth here: %v", err)
	}
	id := regexp.MustCompile(`Build ID: ([0-9a-f]+)`).FindSubmatch(notes)
	if id == nil {
		t.Fatalf("no build id in %s", notes)
	}
	return path, cmd.Process.Pid, mapping, string(id[1])
}

func TestCacheReadsOnce(t *testing.T) {
	path, pid, mapping, id := sleeper(t)
	c := NewCache(nil).Hold()
	f := c.Get(pid, mapping())
	if f.BuildID != id || f.Path != path || f.Layout != nil || f.Rules == nil {
		t.Errorf("%+v, want build id %s", f, id)
	}
	if c.Get(pid, mapping()) != f || c.Get(0, mapping()) != f {
		t.Error("the file was read again")
	}
	other := mapping()
	other.Inode++
	if c.Get(pid, other) == f {
		t.Error("another inode is another file")
	}
}

// A program goes on to run when its file was deleted, or replaced by a newer build.
func TestCacheOfFilesThatAreGone(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("deleted files are opened through /proc/PID/map_files, which needs root")
	}
	path, pid, mapping, id := sleeper(t)
	if err := os.WriteFile(path+" new", []byte("a newer build"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(path+" new", path); err != nil {
		t.Fatal(err)
	}
	if f := NewCache(nil).Hold().Get(pid, mapping()); f.BuildID != id {
		t.Errorf("replaced: %+v", f)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if f := NewCache(nil).Hold().Get(pid, mapping()); f.BuildID != id {
		t.Errorf("deleted: %+v", f)
	}
}

func TestCacheOfFilesThatCannotBeRead(t *testing.T) {
	c := NewCache(nil).Hold()
	m := procs.Mapping{Start: 0x1000, End: 0x2000, Inode: 1 << 60, Path: "/no/such/file"}
	f := c.Get(os.Getpid(), m)
	if f == nil || len(f.Problems) != 1 || !strings.Contains(f.Problems[0].Error(), "/no/such/file") ||
		f.Path != m.Path {
		t.Fatalf("%+v", f)
	}
	if _, ok := f.Address(0); ok {
		t.Error("an address in a file that was not read")
	}
	if c.Get(os.Getpid(), m) != f {
		t.Error("it was looked for again")
	}
	text := filepath.Join(t.TempDir(), "text")
	if err := os.WriteFile(text, []byte("no ELF file"), 0o644); err != nil {
		t.Fatal(err)
	}
	if f := FromMemory([]byte("no ELF file"), text); len(f.Problems) != 1 ||
		!strings.Contains(f.Problems[0].Error(), text) {
		t.Errorf("%+v", f.Problems)
	}
}

// Offsets in the file become the addresses that the program headers give.
func TestAddress(t *testing.T) {
	path, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	ef, err := elf.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer ef.Close()
	f := FromMemory(b, path)
	for _, p := range ef.Progs {
		if p.Type != elf.PT_LOAD || p.Flags&elf.PF_X == 0 {
			continue
		}
		for _, at := range []uint64{0, 1, p.Filesz - 1} {
			if got, ok := f.Address(p.Off + at); !ok || got != p.Vaddr+at {
				t.Errorf("Address(0x%x) = 0x%x, %v, want 0x%x", p.Off+at, got, ok, p.Vaddr+at)
			}
		}
	}
	if got, ok := f.Address(1 << 50); ok {
		t.Errorf("behind the file's end: 0x%x", got)
	}
}

func TestVdso(t *testing.T) {
	image := vdso.Image(t)
	c := NewCache(nil).Hold()
	f := c.Vdso(image)
	if f.Symbols == nil || f.Rules == nil || f.Path != "[vdso]" {
		t.Errorf("%+v", f)
	}
	if c.Vdso(slices.Clone(image)) != f {
		t.Error("the same image was read again")
	}
	if c.Vdso(image[:64]) == f {
		t.Error("another image is another file")
	}
}
