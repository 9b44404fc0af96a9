package core

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hotspan/hotspan/v8/target"
)

func open(b []byte) (*Core, error) { return Open(bytes.NewReader(b), int64(len(b))) }

func mustOpen(t *testing.T, w *written) *Core {
	t.Helper()
	c, err := open(w.bytes())
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestOpen(t *testing.T) {
	c := mustOpen(t, sound())
	if c.PID != 7 || c.Executable != "node" || c.Arguments != "node app.js" || c.Signal != 11 || c.Fault != 0xdead ||
		c.Missing != 0 || c.Program() != "/bin/node" || c.Vdso() != 0x7000 {
		t.Errorf("%+v, program %s", c, c.Program())
	}
	if len(c.Threads) != 2 || c.Threads[0].TID != 7 || c.Threads[1].TID != 8 {
		t.Fatalf("threads %+v", c.Threads)
	}
	// (arch/x86/include/asm/user_64.h)
	want := target.Registers{General: [16]uint64{10, 12, 11, 5, 13, 14, 4, 19, 9, 8, 7, 6, 3, 2, 1, 0}, IP: 16,
		FSBase: 21}
	if diff := cmp.Diff(want, c.Threads[1].Registers); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"/bin/node", "/lib/a.so"}, c.Paths()); diff != "" {
		t.Error(diff)
	}
	if !c.HasCode("/bin/node") || c.HasCode("/lib/a.so") {
		t.Error("only the program was mapped as code, as far as is known")
	}
}

// TestReadAt reads memory that the core has, that a file has, and that nothing has.
func TestReadAt(t *testing.T) {
	c := mustOpen(t, sound())
	for _, without := range []bool{true, false} {
		if !without {
			if err := c.Attach("/bin/node", bytes.NewReader(program("abcd", 1))); err != nil {
				t.Fatal(err)
			}
		}
		for _, r := range []struct {
			at, n uint64
			got   int
			err   error
		}{
			{0x402000, 4096, 4096, nil},
			{0x402ff8, 16, 8, ErrNotMapped},
			{0x600000, 8, 0, ErrNotHeld},
			{0x500000, 8, 0, ErrNotHeld},
			{0x300000, 8, 0, ErrNotMapped},
			{^uint64(0) - 3, 8, 0, ErrNotMapped},
			{0x400ff8, 4096 + 16, 4096 + 16, nil}, // of three sources
		} {
			if without && r.at == 0x400ff8 {
				r.got, r.err = 8, ErrNotHeld
			}
			b := make([]byte, r.n)
			if n, err := c.ReadAt(b, int64(r.at)); n != r.got || !errors.Is(err, r.err) {
				t.Errorf("%d bytes at 0x%x: %d, %v, want %d, %v", r.n, r.at, n, err, r.got, r.err)
			}
			if r.at == 0x400ff8 && !without && (b[7] != 1 || b[8] != 1 || b[4096+8] != 3) {
				t.Error("other bytes than those of core, file and core")
			}
		}
	}
}

// TestAttach: only the file that was mapped is used.
func TestAttach(t *testing.T) {
	for name, c := range map[string]struct {
		held, file []byte
		err        string
	}{
		"the same":                          {program("abcd", 1), program("abcd", 1), ""},
		"stripped: the same build id":       {program("abcd", 1), program("abcd", 2), ""},
		"another build id":                  {program("abcd", 1), program("abce", 1), "61626364, this one 61626365"},
		"this one has none":                 {program("abcd", 1), program("", 1), "build id 61626364, this one none"},
		"none in both, the same first page": {program("", 1), program("", 1), ""},
		"none in both":                      {program("", 1), program("", 2), "its first page differs"},
		"not ELF":                           {program("abcd", 1), []byte("x"), "build id 61626364, this one none"},
		"no first page in the core":         {nil, program("abcd", 1), "the core does not have its first page"},
	} {
		w := sound()
		w.memory[0] = c.held[:min(len(c.held), 4096)]
		w.segments[0].Filesz = uint64(len(w.memory[0]))
		core := mustOpen(t, w)
		err := core.Attach("/bin/node", bytes.NewReader(c.file))
		if (err == nil) != (c.err == "") || err != nil && (!errors.Is(err, ErrOtherFile) ||
			!strings.Contains(err.Error(), c.err)) {
			t.Errorf("%s: %v, want %q", name, err, c.err)
		}
		if _, err := core.ReadAt(make([]byte, 8), 0x401000); (err == nil) != (c.err == "") {
			t.Errorf("%s: reading: %v", name, err)
		}
	}
}

// TestRights: a mapping that only the note FILE names has the rights that the file's headers say.
func TestRights(t *testing.T) {
	w := sound()
	w.segments, w.memory = w.segments[:1], w.memory[:1]                         // as gcore leaves out what the file has
	w.note(ntFile, fileNote(mappedFile{0x700000, 0x701000, 4096, "/bin/node"})) // as V8 maps its builtins again
	c := mustOpen(t, w)
	if c.Mappings[1].Start != 0x401000 || c.Mappings[1].Exec {
		t.Fatalf("%+v", c.Mappings)
	}
	if err := c.Attach("/bin/node", bytes.NewReader(program("abcd", 1))); err != nil {
		t.Fatal(err)
	}
	last := c.Mappings[len(c.Mappings)-1]
	if !c.Mappings[1].Exec || c.Mappings[1].Write || c.Mappings[0].Exec || last.Start != 0x700000 || !last.Exec {
		t.Errorf("%+v", c.Mappings)
	}
}

// TestOverlap: of mappings that the note FILE says to overlap those that begin first are there, and no others.
func TestOverlap(t *testing.T) {
	w := sound()
	w.note(ntFile, fileNote(mappedFile{0x700000, 0x800000, 0, "/a"}, mappedFile{0x710000, 0x711000, 0, "/b"},
		mappedFile{0x720000, 0x721000, 0, "/c"}, mappedFile{0x800000, 0x801000, 0, "/d"}))
	c := mustOpen(t, w)
	n := len(c.Mappings) - 2
	if a, d := c.Mappings[n], c.Mappings[n+1]; a.Path != "/a" || d.Path != "/d" || c.Mappings[n-1].Start >= a.Start {
		t.Errorf("%+v", c.Mappings)
	}
}

// TestOverlapNamesOnce: a mapping has its name from the first of the files in the note FILE that overlap, so that no
// more names are given than there are files and mappings.
func TestOverlapNamesOnce(t *testing.T) {
	const at, pages = 0x10000000, 1000
	var w written
	w.note(ntPrstatus, prstatus(1, 0))
	var files []mappedFile
	for i := range uint64(pages) {
		w.segment(at+i*4096, 4096, elf.PF_R, nil)
		files = append(files, mappedFile{at + i*4096, at + pages*4096, 0, fmt.Sprint("/", i)})
	}
	w.note(ntFile, fileNote(files...))
	for i, m := range mustOpen(t, &w).Mappings {
		if m.Path != "/0" || m.Offset != uint64(i)*4096 {
			t.Fatalf("mapping %d: %+v", i, m)
		}
	}
}

// TestCutOff: a core that was cut off has the threads, and says which memory is missing. What the process wrote there
// is not taken from a file.
func TestCutOff(t *testing.T) {
	b := sound().bytes()
	c, err := open(b[:len(b)-4096-100])
	if err != nil || c.Missing != 4096+100 || len(c.Threads) != 2 {
		t.Fatalf("%v: %+v", err, c)
	}
	if err := c.Attach("/bin/node", bytes.NewReader(program("abcd", 1))); !errors.Is(err, ErrOtherFile) {
		t.Errorf("attached by half a page: %v", err)
	}
	for _, n := range []int{0, 3, 63, 64, 100} {
		if _, err := open(b[:n]); err == nil || !strings.HasSuffix(err.Error(), "the file is cut off") {
			t.Errorf("%d bytes: %v", n, err)
		}
	}
	if n, err := c.ReadAt(make([]byte, 4096), 0x400000); n != 4096-100 || !errors.Is(err, ErrCutOff) {
		t.Errorf("%d, %v", n, err)
	}
}

func TestOpenErrors(t *testing.T) {
	for want, change := range map[string]func(*written){
		"open core: note PRSTATUS: short read (12 of 336 bytes)": func(w *written) {
			w.note(ntPrstatus, make([]byte, 12))
		},
		"open core: note PRPSINFO: short read (4 of 136 bytes)": func(w *written) {
			w.note(ntPrpsinfo, make([]byte, 4))
		},
		"open core: note FILE: short read (16 bytes for 9 mappings)": func(w *written) {
			w.note(ntFile, words(9, 4096))
		},
		"open core: note FILE: more than 65534 mappings of files": func(w *written) {
			w.note(ntFile, fileNote(make([]mappedFile, maxMapped+1)...))
		},
		"open core: note FILE: offsets in units of 0 bytes": func(w *written) { w.note(ntFile, words(0, 0)) },
		"open core: note FILE: mapping 1 of 1: 0x2 to 0x1, path of 1 bytes": func(w *written) {
			w.note(ntFile, fileNote(mappedFile{2, 1, 0, "x"}))
		},
		"open core: it has no note PRSTATUS: no thread": func(w *written) { w.notes = nil },
		"open core: note FILE: short read (0 of 405 bytes)": func(w *written) {
			w.notes = append(w.notes, 5, 0, 0, 0, 144, 1, 0, 0, 'E', 'L', 'I', 'F')
		},
		"open core: segments at 0x400000 and 0x400800 overlap": func(w *written) {
			w.segment(0x400800, 1, elf.PF_R, nil)
		},
		"open core: segment at 0xffffffffffffffff: 0 bytes of file, 4096 of memory": func(w *written) {
			w.segment(^uint64(0), 4096, elf.PF_R, nil)
		},
	} {
		w := sound()
		change(w)
		if _, err := open(w.bytes()); err == nil || err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
	exe := program("abcd", 1)
	if _, err := open(exe); err == nil || !strings.Contains(err.Error(), "no core file of x86-64 Linux, but") {
		t.Errorf("an executable: %v", err)
	}
	for _, b := range [][]byte{nil, []byte("text"), sound().bytes()[:100]} {
		if _, err := open(b); err == nil || !strings.HasPrefix(err.Error(), "open core: ") {
			t.Errorf("%d bytes: %v", len(b), err)
		}
	}
}

// TestOverlappingNotes: a note that many segments have is not read again and again.
func TestOverlappingNotes(t *testing.T) {
	var w written
	w.note(ntPrstatus, prstatus(1, 0))
	files := make([]mappedFile, 1000)
	for i := range files {
		files[i] = mappedFile{uint64(i+1) << 20, uint64(i+1)<<20 + 4096, 0, "/" + strings.Repeat("x", 300)}
	}
	w.note(ntFile, fileNote(files...))
	b := w.bytes()
	for range 10_000 {
		w.segments = append(w.segments, elf.Prog64{Type: uint32(elf.PT_NOTE)})
		w.memory = append(w.memory, nil)
	}
	all := w.bytes()
	at := uint64(64 + 56*(1+len(w.segments)))
	notes := elf.Prog64{Type: uint32(elf.PT_NOTE), Off: at, Filesz: uint64(len(w.notes))}
	var one bytes.Buffer
	binary.Write(&one, binary.LittleEndian, notes)
	for i := range w.segments {
		copy(all[64+56*(1+i):], one.Bytes())
	}
	if _, err := Open(bytes.NewReader(b), int64(len(b))); err != nil {
		t.Fatal(err)
	}
	_, err := Open(bytes.NewReader(all), int64(len(all)))
	if want := fmt.Sprintf("more than %d", maxFileNote); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("%v, want %s", err, want)
	}
}

// FuzzOpen: no file ends the program, or takes memory beyond what it is large.
func FuzzOpen(f *testing.F) {
	f.Add(sound().bytes(), program("abcd", 1))
	f.Add(sound().bytes()[:900], program("", 1))
	f.Fuzz(func(t *testing.T, b, file []byte) {
		c, err := open(b)
		if err != nil {
			if !strings.HasPrefix(err.Error(), "open core: ") {
				t.Error(err)
			}
			return
		}
		for _, path := range c.Paths() {
			_ = c.Attach(path, bytes.NewReader(file))
		}
		page := make([]byte, 4096)
		for i, m := range c.Mappings {
			if m.End <= m.Start || i > 0 && m.Start < c.Mappings[i-1].End {
				t.Fatalf("mappings %+v", c.Mappings)
			}
			for _, at := range []uint64{m.Start, m.End - 1, m.End} {
				if n, err := c.ReadAt(page, int64(at)); n < 0 || n > len(page) || (err == nil) != (n == len(page)) {
					t.Fatalf("0x%x: %d, %v", at, n, err)
				}
			}
		}
		c.Program()
	})
}
