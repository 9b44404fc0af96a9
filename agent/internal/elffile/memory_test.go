package elffile

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/hotspan/hotspan/agent/internal/procs"
	"github.com/hotspan/hotspan/agent/internal/symbols"
	"github.com/hotspan/hotspan/agent/internal/unwind"
	"github.com/hotspan/hotspan/test/nodes"
	"github.com/hotspan/hotspan/test/nodes/live"
	"github.com/hotspan/hotspan/v8/layout"
)

// waiting is a Node.js that does nothing, and what it has mapped of files with code, each once.
func waiting(t *testing.T, version string) (pid int, files []procs.Mapping) {
	t.Helper()
	pid = live.Start(t, version, "-e", "console.error('ready'); process.stdin.resume()").PID
	maps, err := procs.Maps(pid)
	if err != nil {
		t.Fatal(err)
	}
	seen := map[procs.FileID]bool{}
	for _, m := range maps {
		if m.Exec && m.Inode != 0 && !seen[m.File()] {
			seen[m.File()] = true
			files = append(files, m)
		}
	}
	return pid, files
}

// exports is a file without its .symtab: the header of that says that it is none.
func exports(t *testing.T, path string) []byte {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	f, err := elf.NewFile(bytes.NewReader(b))
	if err != nil {
		t.Fatal(err)
	}
	for i, s := range f.Sections {
		if s.Type == elf.SHT_SYMTAB {
			headers := binary.LittleEndian.Uint64(b[40:]) // e_shoff
			clear(b[headers+uint64(i)*64+4:][:4])
		}
	}
	return b
}

// TestFromMemory: of what a Node.js has in memory of its files, as much is known as of the files without .symtab.
func TestFromMemory(t *testing.T) {
	compared := map[procs.FileID]bool{} // they are the same libraries
	for _, v := range nodes.Drawn(nodes.Versions(), t.Name()) {
		pid, files := waiting(t, v.Version)
		for _, m := range files {
			if compared[m.File()] {
				continue
			}
			compared[m.File()] = true
			t.Run(v.Version+" "+filepath.Base(m.Path), func(t *testing.T) {
				file, err := OpenMemory(pid, m)
				if err != nil {
					t.Fatal(err)
				}
				b := exports(t, m.Path)
				got, want := parse(file, nil), parse(bytes.NewReader(b), nil)
				equalContents(t, got, want)
				equalRules(t, got.rules, want.rules)
				equalNames(t, got.symbols, want.symbols, b)
				equalContents(t, parseLayout(file, nil), parseLayout(bytes.NewReader(b), nil))
				types, _ := layout.TypeNames(file)
				if fromFile, _ := layout.TypeNames(bytes.NewReader(b)); !reflect.DeepEqual(types, fromFile) {
					t.Errorf("instance types %v, want %v", types, fromFile)
				}
			})
		}
	}
}

// equalContents compares all but names, and the build id of the layout, which a section with that name has.
func equalContents(t *testing.T, got, want *contents) {
	t.Helper()
	if want.layout != nil {
		want.layout.BuildID = ""
	}
	if got.buildID != want.buildID || len(got.buildID) != 40 {
		t.Errorf("build id %s, want %s", got.buildID, want.buildID)
	}
	if diff := cmp.Diff(want.layout, got.layout, cmpopts.IgnoreUnexported(layout.Layout{})); diff != "" {
		t.Errorf("layout (-file +memory):\n%s", diff)
	}
	if !reflect.DeepEqual(got.segments, want.segments) || !reflect.DeepEqual(got.threadLocals, want.threadLocals) ||
		!reflect.DeepEqual(got.problems, want.problems) {
		t.Errorf("segments, thread-local variables or problems: %+v, want %+v", got, want)
	}
}

// equalRules compares all unwind rules.
func equalRules(t *testing.T, got, want *unwind.Table) {
	t.Helper()
	if got == nil || got.Len() == 0 || got.Base != want.Base || got.Unsupported != want.Unsupported ||
		!slices.Equal(got.Rows, want.Rows) || !bytes.Equal(got.EncodedKept(), want.EncodedKept()) {
		t.Errorf("unwind rules: %+v, want %+v", got, want)
	}
}

// equalNames compares names with those that a file exports: all are there but of functions whose size is not known.
func equalNames(t *testing.T, got, want *symbols.Table, file []byte) {
	t.Helper()
	f, err := elf.NewFile(bytes.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	all, err := f.DynamicSymbols()
	if err != nil {
		t.Fatal(err)
	}
	named, without := 0, 0
	for _, s := range all {
		if s.Section == elf.SHN_UNDEF || elf.ST_TYPE(s.Info) != elf.STT_FUNC {
			continue
		}
		for _, at := range []uint64{s.Value, s.Value + max(s.Size, 1) - 1, s.Value + s.Size} {
			name, ok := got.Lookup(at)
			if fromFile, _ := want.Lookup(at); ok && name != fromFile || !ok && at < s.Value+s.Size {
				t.Errorf("%#x: %v, in the file %v", at, name, fromFile)
			}
		}
		if s.Size > 0 {
			named++
		} else {
			without++
		}
	}
	if t.Logf("%d functions, %d without a size", named, without); named == 0 {
		t.Error("none were compared")
	}
}

// TestOwnMemoryOnly: what one process has in memory of a file is for that process: another one with the same file gets
// the file.
func TestOwnMemoryOnly(t *testing.T) {
	pid, files := waiting(t, "24.21.0")
	c, node := NewCache(nil), files[0]
	gone := errors.New("it has no path")
	f, err := c.fromMemory(pid, node, gone)
	if err != nil {
		t.Fatal(err)
	}
	if f.Layout == nil || len(f.Problems) != 1 || !strings.Contains(f.Problems[0].Error(), node.Path) {
		t.Errorf("%v, layout %v", f.Problems, f.Layout)
	}
	if again := c.get(pid, node, stampOf(pid, node)); again != f {
		t.Error("the process got another one")
	}
	if has, err := c.probeMemory(pid, node, gone); !has || err != nil || len(c.probed) > 0 {
		t.Errorf("V8: %v, %v; kept for others: %v", has, err, c.probed)
	}
	otherPID, files := waiting(t, "24.21.0")
	whole := c.get(otherPID, files[0], stampOf(otherPID, files[0]))
	if whole == f || len(whole.Problems) > 0 || files[0].File() != node.File() || len(c.contents) != 1 {
		t.Errorf("another process: %v, %d that copies share", whole.Problems, len(c.contents))
	}
	if other, err := c.fromMemory(os.Getpid(), node, gone); other != nil || !errors.Is(err, gone) {
		t.Errorf("of a process without the file: %v", err)
	}
}

// TestDebugFileOfMemory: names that a file does not export come from a separate debug file.
func TestDebugFileOfMemory(t *testing.T) {
	path, dir := newest(t), t.TempDir()
	all := nodes.Versions()
	pid, files := waiting(t, all[len(all)-1].Version)
	whole := loadPath(t, path)
	debug := filepath.Join(dir, debugDir, whole.BuildID[:2], whole.BuildID[2:]+".debug")
	if err := os.MkdirAll(filepath.Dir(debug), 0o755); err != nil {
		t.Fatal(err)
	}
	tool(t, "objcopy", "--only-keep-debug", path, debug)
	file, err := OpenMemory(pid, files[0])
	if err != nil {
		t.Fatal(err)
	}
	out := NewCache(nil).parseMemory(file, t.TempDir(), dir)
	if len(out.problems) > 0 || out.pool == nil {
		t.Errorf("problems %v, pool %v", out.problems, out.pool)
	}
	for at := whole.Layout.Builtins.Start; at < whole.Layout.Builtins.End; at += 4096 {
		want, _ := whole.Symbols.Lookup(at)
		if got, _ := out.symbols.Lookup(at); got != want {
			t.Fatalf("symbol at %#x is %v, want %v", at, got, want)
		}
	}
}
