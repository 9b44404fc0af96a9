package loaded

import (
	"bytes"
	"debug/elf"
	"errors"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/hotspan/hotspan/agent/internal/procs"
	"github.com/hotspan/hotspan/test/vdso"
	"github.com/hotspan/hotspan/v8/target"
)

// waiting is a process that runs cat, and what it has mapped.
func waiting(t *testing.T) (pid int, maps []procs.Mapping) {
	t.Helper()
	cmd := exec.Command("cat")
	in, err1 := cmd.StdinPipe()
	out, err2 := cmd.StdoutPipe()
	if err := errors.Join(err1, err2, cmd.Start()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { in.Close(); cmd.Wait() })
	io.WriteString(in, "x")
	if _, err := io.ReadFull(out, make([]byte, 1)); err != nil {
		t.Fatal(err)
	}
	maps, err := procs.Maps(cmd.Process.Pid)
	if err != nil {
		t.Fatal(err)
	}
	return cmd.Process.Pid, maps
}

// TestBytes: what is read of a file is what the file has, or an error: of no more than what is loaded, and of what the
// process may write to no more than 4 bytes.
func TestBytes(t *testing.T) {
	pid, maps := waiting(t)
	files := 0
	for _, m := range maps {
		if !m.Exec || m.Inode == 0 {
			continue
		}
		files++
		t.Run(m.Path, func(t *testing.T) {
			f, err := Open(target.Live{PID: pid}, maps, m.File())
			if err != nil || f.Missing() != nil {
				t.Fatal(err, f.Missing())
			}
			want, err := os.ReadFile(m.Path)
			if err != nil {
				t.Fatal(err)
			}
			whole, err := elf.NewFile(bytes.NewReader(want))
			if err != nil {
				t.Fatal(err)
			}
			for _, p := range whole.Progs {
				if p.Type == elf.PT_LOAD {
					segment(t, f, p, want)
				}
			}
			equalSymbols(t, f, whole)
		})
	}
	if files < 3 {
		t.Errorf("%d files: cat has a library and the dynamic linker", files)
	}
}

// segment checks the bytes of a segment that is loaded.
func segment(t *testing.T, f *File, p *elf.Prog, want []byte) {
	t.Helper()
	if p.Flags&elf.PF_W != 0 {
		if n, err := f.ReadAt(make([]byte, 8), int64(p.Off)); n > 0 || !errors.Is(err, errRelocated) {
			t.Errorf("8 bytes of a segment that may be written to: %d, %v", n, err)
		}
		return
	}
	got, err := io.ReadAll(io.NewSectionReader(f, int64(p.Off), int64(p.Filesz)))
	if p.Off == 0 { // the header says where sections are
		got, want = got[headerSize:], want[headerSize:]
	} else {
		want = want[p.Off:]
	}
	if err != nil || len(got) == 0 || !bytes.HasPrefix(want, got) {
		t.Errorf("segment at %#x: %d bytes of %d: %v", p.Off, len(got), p.Filesz, err)
	}
	if n, err := f.ReadAt(make([]byte, 2), int64(p.Off+p.Filesz)-1); n != 1 || !errors.Is(err, errNotLoaded) {
		t.Errorf("2 bytes at the last one of a segment: %d, %v", n, err)
	}
}

// equalSymbols checks all symbols, but for their sections.
func equalSymbols(t *testing.T, f *File, whole *elf.File) {
	t.Helper()
	file, err := elf.NewFile(f)
	if err != nil {
		t.Fatal(err)
	}
	got, err1 := file.DynamicSymbols()
	want, err2 := whole.DynamicSymbols()
	if err1 != nil || err2 != nil || len(got) == 0 {
		t.Fatal(err1, err2)
	}
	same := slices.EqualFunc(got, want, func(a, b elf.Symbol) bool {
		undefined := a.Section == elf.SHN_UNDEF
		return a.Name == b.Name && a.Value == b.Value && a.Size == b.Size && a.Info == b.Info &&
			undefined == (b.Section == elf.SHN_UNDEF)
	})
	if !same {
		t.Errorf("%d symbols are not the file's %d", len(got), len(want))
	}
}

// place is memory from an address on.
type place struct {
	at    uint64
	bytes []byte
}

func (p place) ReadAt(b []byte, off int64) (int, error) {
	return bytes.NewReader(p.bytes).ReadAt(b, off-int64(p.at))
}

// one is a file of which all is mapped, at an address.
func one(at uint64, image []byte) (io.ReaderAt, []procs.Mapping) {
	return place{at, image}, []procs.Mapping{{Start: at, End: at + uint64(len(image)), Inode: 1, Exec: true}}
}

// TestOpenRefuses: what a process has mapped is no file that is loaded there.
func TestOpenRefuses(t *testing.T) {
	image := vdso.Image(t)
	const at = 0x10000
	with := func(off int, b ...byte) []byte {
		out := bytes.Clone(image)
		copy(out[off:], b)
		return out
	}
	for name, c := range map[string]struct {
		image []byte
		want  string
	}{
		"no ELF file":       {with(0, 'X'), "no ELF file"},
		"32 bits":           {with(4, 1), "no ELF file"},
		"too many segments": {with(56, 255, 255), "65535 segments"},
		"cut off":           {image[:headerSize], "not loaded"},
		"empty":             {nil, "EOF"},
	} {
		mem, maps := one(at, c.image)
		if f, err := Open(mem, maps, maps[0].File()); f != nil || err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
	mem, maps := one(at, image)
	if _, err := Open(mem, maps, procs.FileID{Inode: 2}); !errors.Is(err, errNotLoaded) {
		t.Errorf("another file: %v", err)
	}
	if _, err := Open(mem, maps, maps[0].File()); err != nil {
		t.Error(err)
	}
}
