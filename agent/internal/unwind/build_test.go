package unwind

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/hotspan/hotspan/test/nodes/live"
)

func buildBytes(t *testing.T, data []byte) (*Table, error) {
	t.Helper()
	f, err := elf.NewFile(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	return Build(f)
}

// withoutSections clears what the ELF header says of section headers (e_shoff, e_shnum, e_shstrndx).
func withoutSections(data []byte) []byte {
	data = bytes.Clone(data)
	clear(data[0x28:0x30])
	clear(data[0x3c:0x40])
	return data
}

// TestWithoutSections finds the same rules through the program headers.
func TestWithoutSections(t *testing.T) {
	data, err := os.ReadFile(live.Libc(t))
	if err != nil {
		t.Fatal(err)
	}
	want, err := buildBytes(t, data)
	if err != nil {
		t.Fatal(err)
	}
	got, err := buildBytes(t, withoutSections(data))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got, cmpopts.IgnoreUnexported(Table{})); diff != "" ||
		!bytes.Equal(want.EncodedKept(), got.EncodedKept()) {
		t.Errorf("rules by segment differ from those by section (-want +got):\n%s", diff)
	}
}

func TestBuildErrors(t *testing.T) {
	image := vdso(t)
	for _, tt := range []struct {
		name   string
		change func([]byte)
		want   string
	}{
		{"other machine", func(b []byte) { b[0x12] = byte(elf.EM_AARCH64) }, "EM_AARCH64"},
		{"neither section nor segment", func(b []byte) {
			segment(b, elf.PT_GNU_EH_FRAME)[0] ^= 1
		}, "no .eh_frame section and no PT_GNU_EH_FRAME"},
		{"no code", func(b []byte) { segment(b, elf.PT_LOAD)[4] = byte(elf.PF_R) }, "no executable segment"},
		{"entry longer than the section", func(b []byte) { copy(b[section(b, ".eh_frame"):], "\xff\xff\xff\x7f") },
			"entry of 2147483647 bytes"},
		{"64-bit DWARF", func(b []byte) { copy(b[section(b, ".eh_frame"):], "\xff\xff\xff\xff") }, "64-bit DWARF"},
		{"unknown header", func(b []byte) { b[section(b, ".eh_frame_hdr")+1] = 0x3b }, "pointer encoding 0x3b"},
	} {
		changed := bytes.Clone(image)
		tt.change(changed)
		if tt.name != "entry longer than the section" && tt.name != "64-bit DWARF" {
			changed = withoutSections(changed)
		}
		if _, err := buildBytes(t, changed); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: error %v, want %q", tt.name, err, tt.want)
		}
	}
}

// segment returns the program header of a type, from an image that is sound.
func segment(b []byte, kind elf.ProgType) []byte {
	table := b[binary.LittleEndian.Uint64(b[0x20:]):]
	for ; elf.ProgType(binary.LittleEndian.Uint32(table)) != kind; table = table[0x38:] {
	}
	return table
}

// section returns the file offset of a section.
func section(b []byte, name string) uint64 {
	f, err := elf.NewFile(bytes.NewReader(b))
	if err != nil {
		panic(err)
	}
	return f.Section(name).Offset
}

func TestLookupOutside(t *testing.T) {
	table := &Table{Base: 0x1000, Rows: []Row{{PC: 0, CFA: RSP, Off: 1}, {PC: 16, CFA: CFANone}}}
	for _, tt := range []struct {
		addr uint64
		want bool
	}{{0xfff, false}, {0x1000, true}, {0x100f, true}, {0x1010, false}, {0x1000 + 1<<32, false}, {^uint64(0), false}} {
		if _, ok := table.Lookup(tt.addr); ok != tt.want {
			t.Errorf("Lookup(%#x) = %v, want %v", tt.addr, ok, tt.want)
		}
	}
	if _, ok := new(Table).Lookup(0); ok {
		t.Error("an empty table has a rule")
	}
}

// TestRowBytes pins the layout that the BPF program reads.
func TestRowBytes(t *testing.T) {
	row := Row{PC: 0x04030201, CFA: 5, RBP: -2, Off: -3}
	got, err := binary.Append(nil, binary.LittleEndian, row)
	if err != nil {
		t.Fatal(err)
	}
	if want := []byte{1, 2, 3, 4, 5, 0xfe, 0xfd, 0xff}; !bytes.Equal(got, want) {
		t.Errorf("row is % x, want % x", got, want)
	}
}
