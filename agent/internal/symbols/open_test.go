package symbols

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"errors"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/hotspan/hotspan/test/nodes/live"
)

// image is a small ELF file made by hand: a code section at 0x1000 to 0x2000, a data section at 0x3000, and symbols.
func image(symbols []elf.Sym64, names string) []byte {
	const header, symbolsAt = 64, 64
	var body bytes.Buffer
	binary.Write(&body, binary.LittleEndian, symbols)
	namesAt := symbolsAt + body.Len()
	body.WriteString(names)
	sections := []elf.Section64{
		{},
		{Type: uint32(elf.SHT_PROGBITS), Flags: uint64(elf.SHF_ALLOC | elf.SHF_EXECINSTR), Addr: 0x1000, Size: 0x1000},
		{Type: uint32(elf.SHT_NOBITS), Flags: uint64(elf.SHF_ALLOC), Addr: 0x3000, Size: 0x1000},
		{Type: uint32(elf.SHT_SYMTAB), Off: symbolsAt, Size: uint64(namesAt - symbolsAt), Link: 4, Entsize: symbolSize},
		{Type: uint32(elf.SHT_STRTAB), Off: uint64(namesAt), Size: uint64(len(names))},
		{Type: uint32(elf.SHT_STRTAB), Off: uint64(namesAt), Size: 1}, // of sections: they have none
	}
	head := elf.Header64{
		Type: uint16(elf.ET_DYN), Machine: uint16(elf.EM_X86_64), Version: 1, Ehsize: header,
		Shoff: uint64(header + body.Len()), Shentsize: 64, Shnum: uint16(len(sections)), Shstrndx: 5,
	}
	copy(head.Ident[:], "\x7fELF\x02\x01\x01")
	var file bytes.Buffer
	binary.Write(&file, binary.LittleEndian, head)
	file.Write(body.Bytes())
	binary.Write(&file, binary.LittleEndian, sections)
	return file.Bytes()
}

const (
	function = uint8(elf.STT_FUNC)
	local    = uint8(elf.STB_LOCAL) << 4
	global   = uint8(elf.STB_GLOBAL) << 4
	weak     = uint8(elf.STB_WEAK) << 4
)

// small has aliases, nested, unsized and untyped symbols, and some that must be left out.
func small() []byte {
	names := "\x00outer\x00inner\x00weak\x00local\x00global\x00Builtins_X\x00label\x00data\x00last\x00"
	at := func(name string) uint32 { return uint32(strings.Index(names, name+"\x00")) }
	return image([]elf.Sym64{
		{},
		{Name: at("outer"), Info: global | function, Shndx: 1, Value: 0x1000, Size: 0x100},
		{Name: at("inner"), Info: local | function, Shndx: 1, Value: 0x1040, Size: 0x10},
		{Name: at("weak"), Info: weak | function, Shndx: 1, Value: 0x1200, Size: 0x10},
		{Name: at("local"), Info: local | function, Shndx: 1, Value: 0x1200, Size: 0x10},
		{Name: at("global"), Info: global | function, Shndx: 1, Value: 0x1200, Size: 0x10},
		{Name: at("Builtins_X"), Info: local, Shndx: 1, Value: 0x1300},
		{Name: at("label"), Info: local, Shndx: 1, Value: 0x1310},
		{Name: at("data"), Info: global | uint8(elf.STT_OBJECT), Shndx: 2, Value: 0x3000, Size: 8},
		{Name: at("last"), Info: global | function, Shndx: 1, Value: 0x1400},
		{Name: at("outer"), Info: global | function, Shndx: 0, Value: 0x1500, Size: 8}, // undefined
		{Name: 1 << 30, Info: global | function, Shndx: 1, Value: 0x1600, Size: 8},     // no such name
	}, names)
}

func TestLookup(t *testing.T) {
	table, err := Open(bytes.NewReader(small()))
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		addr uint64
		want Symbol
	}{
		{0x0fff, Symbol{}},
		{0x1000, Symbol{"outer", 0x1000, 0x100}},
		{0x1040, Symbol{"inner", 0x1040, 0x10}},
		{0x1050, Symbol{"outer", 0x1000, 0x100}},
		{0x1100, Symbol{}},
		{0x1205, Symbol{"global", 0x1200, 0x10}},
		{0x1210, Symbol{}},
		{0x13ff, Symbol{"Builtins_X", 0x1300, 0x100}},
		{0x1fff, Symbol{"last", 0x1400, 0xc00}},
		{0x2000, Symbol{}},
		{0x3000, Symbol{}},
		{^uint64(0), Symbol{}},
	} {
		got, ok := table.Lookup(tt.addr)
		if got != tt.want || ok != (tt.want != Symbol{}) {
			t.Errorf("Lookup(%#x) = %+v, %v, want %+v", tt.addr, got, ok, tt.want)
		}
	}
	if got := table.Len(); got != 5 {
		t.Errorf("Len = %d, want 5 addresses", got)
	}
}

// TestAliases: without the global one a local symbol stays, without both the weak one.
func TestAliases(t *testing.T) {
	names := "\x00a\x00b\x00c\x00"
	for _, tt := range []struct {
		name   string
		a, b   elf.Sym64
		expect string
	}{
		{"local before weak", elf.Sym64{Info: weak | function, Size: 8}, elf.Sym64{Info: local | function, Size: 8},
			"b"},
		{"sized before unsized", elf.Sym64{Info: global | function}, elf.Sym64{Info: weak | function, Size: 8}, "b"},
		{"function before label", elf.Sym64{Info: global, Size: 8}, elf.Sym64{Info: weak | function, Size: 8}, "b"},
		{"longer before shorter", elf.Sym64{Info: local | function, Size: 8},
			elf.Sym64{Info: local | function, Size: 16}, "b"},
		{"else by name", elf.Sym64{Info: local | function, Size: 8}, elf.Sym64{Info: local | function, Size: 8}, "a"},
	} {
		tt.a.Name, tt.b.Name = 1, 3
		for _, s := range []*elf.Sym64{&tt.a, &tt.b} {
			s.Shndx, s.Value = 1, 0x1000
		}
		for _, order := range [][]elf.Sym64{{tt.a, tt.b}, {tt.b, tt.a}} {
			table, err := Open(bytes.NewReader(image(order, names)))
			if err != nil {
				t.Fatal(err)
			}
			if got, _ := table.Lookup(0x1000); got.Name != tt.expect {
				t.Errorf("%s: %s, want %s", tt.name, got.Name, tt.expect)
			}
		}
	}
}

func TestOpenErrors(t *testing.T) {
	if _, err := Open(bytes.NewReader(image(nil, "\x00"))); !errors.Is(err, ErrNoSymbols) {
		t.Errorf("no symbols: %v", err)
	}
	if _, err := Open(strings.NewReader("#!/bin/sh\nexec node server.js\n")); err == nil ||
		!strings.Contains(err.Error(), "bad magic") {
		t.Errorf("a script: %v", err)
	}
	whole := small()
	binary.LittleEndian.PutUint32(whole[len(whole)-3*64+40:], 9) // sh_link of the symbol table
	if _, err := Open(bytes.NewReader(whole)); err == nil || !strings.Contains(err.Error(), "section 9 of 6") {
		t.Errorf("names in no section: %v", err)
	}
}

// TestSegmentsAddress compares with the section headers, which say the same of each section of code.
func TestSegmentsAddress(t *testing.T) {
	for _, path := range []string{live.Binary(t, "24.21.0"), live.Libc(t)} {
		f, err := elf.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		for _, s := range f.Sections {
			if s.Flags&elf.SHF_EXECINSTR == 0 || s.Size == 0 {
				continue
			}
			for _, delta := range []uint64{0, s.Size - 1} {
				if got, ok := SegmentsOf(f).Address(s.Offset + delta); !ok || got != s.Addr+delta {
					t.Errorf("%s %s: offset %#x is %#x, %v, want %#x", path, s.Name, s.Offset+delta, got, ok,
						s.Addr+delta)
				}
			}
		}
		if got, ok := SegmentsOf(f).Address(1 << 40); ok {
			t.Errorf("%s: an offset past the end is %#x", path, got)
		}
	}
}

func TestBuildIDAbsent(t *testing.T) {
	f, err := elf.NewFile(bytes.NewReader(small()))
	if err != nil {
		t.Fatal(err)
	}
	if id, err := BuildID(f); id != "" || err != nil {
		t.Errorf("build id %q, %v of a file without notes", id, err)
	}
}

// TestOpenReadsTablesOnly counts what Open reads of Node's 126 MB.
func TestOpenReadsTablesOnly(t *testing.T) {
	file, err := os.Open(live.Binary(t, "24.21.0"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	r := &counter{file: file}
	if _, err := Open(r); err != nil {
		t.Fatal(err)
	}
	if most := 20 << 20; r.bytes > most {
		t.Errorf("read %d bytes, want at most %d: two symbol tables and their names", r.bytes, most)
	}
}

type counter struct {
	file  io.ReaderAt
	bytes int
}

func (c *counter) ReadAt(b []byte, off int64) (int, error) {
	n, err := c.file.ReadAt(b, off)
	c.bytes += n
	return n, err
}
