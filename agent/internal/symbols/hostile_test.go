package symbols

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"testing"
	"time"

	"github.com/hotspan/hotspan/agent/internal/budget"
)

// fileOf is a file with these parts, all of which begin with the content.
func fileOf(sections []elf.Section64, segments []elf.Prog64, content []byte) []byte {
	at := uint64(64 + 56*len(segments))
	for i := range sections[1:] {
		sections[i+1].Off += at
	}
	for i := range segments {
		segments[i].Off = at
	}
	head := elf.Header64{
		Type: uint16(elf.ET_DYN), Machine: uint16(elf.EM_X86_64), Version: 1, Ehsize: 64,
		Phoff: 64, Phentsize: 56, Phnum: uint16(len(segments)),
		Shoff: at + uint64(len(content)), Shentsize: 64, Shnum: uint16(len(sections)),
	}
	copy(head.Ident[:], "\x7fELF\x02\x01\x01")
	var file bytes.Buffer
	for _, part := range []any{head, segments, content, sections} {
		binary.Write(&file, binary.LittleEndian, part)
	}
	return file.Bytes()
}

// TestSlowNotes: a file all of whose sections are the same notes takes no longer than one has.
func TestSlowNotes(t *testing.T) {
	sections := make([]elf.Section64, 16000)
	for i := range sections[1:] {
		sections[i+1] = elf.Section64{Type: uint32(elf.SHT_NOTE), Size: maxNotes}
	}
	content := make([]byte, maxNotes)
	f, err := elf.NewFile(bytes.NewReader(fileOf(sections, nil, content)))
	if err != nil {
		t.Fatal(err)
	}
	before := budget.OwnCPU()
	id, err := BuildID(f)
	if d := budget.OwnCPU() - before; d > time.Second {
		t.Errorf("it took %v: %q, %v", d, id, err)
	}
}

// TestSlowExtents: exported functions without a size, each before as much code as is read of one, take no longer than
// one that has it.
func TestSlowExtents(t *testing.T) {
	const size, segments = 4 << 20, 100
	var content bytes.Buffer
	for at := uint64(0); at < size*segments; at += maxExtent {
		binary.Write(&content, binary.LittleEndian, elf.Sym64{Name: 1, Info: global | function, Shndx: 1, Value: at})
	}
	names := elf.Section64{Type: uint32(elf.SHT_STRTAB), Off: uint64(content.Len()), Size: 3}
	sections := []elf.Section64{{}, {Type: uint32(elf.SHT_NOBITS), Size: size * segments},
		{Type: uint32(elf.SHT_DYNSYM), Size: uint64(content.Len()), Link: 3, Entsize: symbolSize}, names}
	content.WriteString("\x00f\x00")
	content.Write(make([]byte, size-content.Len()))
	var all []elf.Prog64
	for i := range uint64(segments) {
		all = append(all, elf.Prog64{Type: uint32(elf.PT_LOAD), Flags: uint32(elf.PF_X), Vaddr: i * size, Filesz: size,
			Memsz: size})
	}
	before := budget.OwnCPU()
	table, err := Open(bytes.NewReader(fileOf(sections, all, content.Bytes())))
	if d := budget.OwnCPU() - before; d > 2*time.Second {
		t.Errorf("it took %v", d)
	}
	if err != nil {
		t.Fatal(err)
	}
	if s, ok := table.Lookup(maxExtent + 1); !ok || s.Name != "f" {
		t.Errorf("%v, %v", s, ok)
	}
}
