package unwind

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"slices"
	"strings"
	"testing"
)

// farApart is an ELF file of some hundred bytes: one segment of code that claims size bytes, of which the file has
// none, and two functions at its ends.
func farApart(size uint64) []byte {
	const code, frames = 0x100000, 0x1000
	cie := []byte{0, 0, 0, 0, 1, 'z', 'R', 0, 1, 0x78, 16, 1, 0x04, 0x0c, 7, 8, 0x90, 1, 0, 0} // pointers of 8 bytes
	data := entry(nil, cie)
	for _, begin := range []uint64{code, code + size - 16} {
		fde := binary.LittleEndian.AppendUint32(nil, uint32(len(data)+4))
		fde = binary.LittleEndian.AppendUint64(fde, begin)
		fde = binary.LittleEndian.AppendUint64(fde, 16)
		data = entry(data, append(fde, 0, 0, 0, 0))
	}
	return withFrames(data, frames, elf.Prog64{
		Type: uint32(elf.PT_LOAD), Flags: uint32(elf.PF_R | elf.PF_X), Vaddr: code, Filesz: size, Memsz: size,
	})
}

// withFrames is an ELF file with an .eh_frame section, of data at an address, and a segment.
func withFrames(data []byte, addr uint64, program elf.Prog64) []byte {
	names := []byte("\x00.eh_frame\x00")
	at := uint64(64 + 56)
	sections := []elf.Section64{{},
		{Name: 1, Type: uint32(elf.SHT_PROGBITS), Addr: addr, Off: at, Size: uint64(len(data))},
		{Name: 0, Type: uint32(elf.SHT_STRTAB), Off: at + uint64(len(data)), Size: uint64(len(names))},
	}
	head := elf.Header64{
		Type: uint16(elf.ET_DYN), Machine: uint16(elf.EM_X86_64), Version: 1, Ehsize: 64, Phoff: 64, Phentsize: 56,
		Phnum: 1, Shoff: at + uint64(len(data)+len(names)), Shentsize: 64, Shnum: 3, Shstrndx: 2,
	}
	copy(head.Ident[:], "\x7fELF\x02\x01\x01")
	var file bytes.Buffer
	for _, part := range []any{head, program, data, names, sections} {
		binary.Write(&file, binary.LittleEndian, part)
	}
	return file.Bytes()
}

func entry(data, content []byte) []byte {
	data = binary.LittleEndian.AppendUint32(data, uint32(len(content)))
	return slices.Concat(data, content)
}

// Code that the file does not have needs no rules.
func TestFunctionsFarApart(t *testing.T) {
	file := farApart(4<<30 - maxFunction - 16)
	if table, err := buildBytes(t, file); err == nil || !strings.Contains(err.Error(), "no executable segment") {
		t.Errorf("%d bytes: %+v, %v", len(file), table, err)
	}
	file = append(file, make([]byte, 1<<16)...)
	file[64+32], file[64+33], file[64+34], file[64+35] = 0, 1, 0, 0 // p_filesz
	clear(file[64+36 : 64+40])
	table, err := buildBytes(t, file)
	if err != nil || table.Rows[len(table.Rows)-1].PC != 16 {
		t.Errorf("%+v, %v, want the rule of the first function alone", table, err)
	}
}
