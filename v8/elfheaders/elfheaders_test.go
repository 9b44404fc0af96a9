package elfheaders

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// sparse is a file of a GiB that takes no room, which says that the names of its sections, or its sections, are most of
// it.
func sparse(t *testing.T, sections bool) *os.File {
	t.Helper()
	const size = 1 << 30
	h := elf.Header64{
		Ident: [16]byte{0x7f, 'E', 'L', 'F', byte(elf.ELFCLASS64), byte(elf.ELFDATA2LSB), 1},
		Type:  uint16(elf.ET_DYN), Machine: uint16(elf.EM_X86_64), Version: 1, Ehsize: 64, Shoff: 64, Shentsize: 64,
		Shnum: 2, Shstrndx: 1,
	}
	first := elf.Section64{}
	if sections {
		h.Shnum, first.Size = 0, size/64-2
	}
	names := elf.Section64{Type: uint32(elf.SHT_STRTAB), Off: 192, Size: size - 192}
	var b bytes.Buffer
	for _, part := range []any{h, first, names} {
		if err := binary.Write(&b, binary.LittleEndian, part); err != nil {
			t.Fatal(err)
		}
	}
	name := filepath.Join(t.TempDir(), "sparse")
	if err := os.WriteFile(name, b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(name, size); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}

// TestLongHeaders: headers that are as long as the file are not read.
func TestLongHeaders(t *testing.T) {
	for _, sections := range []bool{false, true} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := Open(sparse(t, sections))
		runtime.ReadMemStats(&after)
		if err == nil || !strings.Contains(err.Error(), "more than 8 MiB") {
			t.Errorf("%v", err)
		}
		if n := after.TotalAlloc - before.TotalAlloc; n > 256<<20 {
			t.Errorf("%d MiB of memory were taken", n>>20)
		}
	}
}

// TestOpen: another file is read whole, from the reader that it was opened with.
func TestOpen(t *testing.T) {
	b, err := os.ReadFile("/proc/self/exe")
	if err != nil {
		t.Fatal(err)
	}
	r := bytes.NewReader(b)
	f, err := Open(r)
	if err != nil {
		t.Fatal(err)
	}
	text := f.Section(".text")
	got, err := text.Data()
	if err != nil || !bytes.Equal(got, b[text.Offset:][:text.Size]) {
		t.Errorf("%d bytes of %d, %v", len(got), text.Size, err)
	}
	within, _, _ := text.ReaderAt.(*io.SectionReader).Outer()
	if File(within) != io.ReaderAt(r) || File(r) != io.ReaderAt(r) {
		t.Error("it is read from another reader")
	}
}

// TestManySegments: a file of more segments or sections than any that is used is refused, a core file is not.
func TestManySegments(t *testing.T) {
	for _, h := range []elf.Header64{{Phnum: maxSegments + 1}, {Shnum: maxSections + 1, Shoff: 64}} {
		h.Ident = [16]byte{0x7f, 'E', 'L', 'F', byte(elf.ELFCLASS64), byte(elf.ELFDATA2LSB), 1}
		h.Machine, h.Version, h.Ehsize = uint16(elf.EM_X86_64), 1, 64
		h.Phoff, h.Phentsize, h.Shentsize = 64, 56, 64
		var b bytes.Buffer
		if err := binary.Write(&b, binary.LittleEndian, h); err != nil {
			t.Fatal(err)
		}
		b.Write(make([]byte, 64*(maxSections+1)))
		r := bytes.NewReader(b.Bytes())
		if _, err := Open(r); err == nil || !strings.Contains(err.Error(), "more than 128 or 16384") {
			t.Errorf("%d segments, %d sections: %v", h.Phnum, h.Shnum, err)
		}
		if _, err := OpenCore(r); err != nil {
			t.Errorf("%d segments, %d sections of a core: %v", h.Phnum, h.Shnum, err)
		}
	}
}
