package layout

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"maps"
	"slices"
)

// fakeBase is the address at which the one segment of a fake ELF file lies; its first byte is the file's.
const fakeBase = 0x400000

// fake is a small ELF executable: read-only text, and symbols with their contents. A nil content is a variable in .bss.
type fake struct {
	machine elf.Machine
	rodata  string
	syms    map[string][]byte
}

// build lays the file out: ELF header, one program header, contents, .dynsym, .dynstr, section headers.
func (k fake) build() []byte {
	const headers = 64 + 56
	body := append(make([]byte, headers), "\x00"+k.rodata+"\x00"...)
	str := []byte{0}
	syms := make([]elf.Sym64, 1)
	var bss []int
	for _, name := range slices.Sorted(maps.Keys(k.syms)) {
		content := k.syms[name]
		syms = append(syms, elf.Sym64{Name: uint32(len(str)), Shndx: 1, Value: uint64(fakeBase + len(body)),
			Size: uint64(len(content))})
		if content == nil {
			bss = append(bss, len(syms)-1)
		}
		str = append(append(str, name...), 0)
		body = append(body, content...)
	}
	symAt := len(body)
	strAt := symAt + len(syms)*symbolSize
	fileSize := strAt + len(str) + 4*64
	for _, i := range bss {
		syms[i].Value = uint64(fakeBase + fileSize)
	}
	sections := []elf.Section64{{},
		{Type: uint32(elf.SHT_PROGBITS), Addr: fakeBase + headers, Off: headers, Size: uint64(symAt - headers)},
		{Type: uint32(elf.SHT_DYNSYM), Link: 3, Off: uint64(symAt), Size: uint64(strAt - symAt), Entsize: symbolSize},
		{Type: uint32(elf.SHT_STRTAB), Off: uint64(strAt), Size: uint64(len(str))}}
	head := elf.Header64{Type: uint16(elf.ET_EXEC), Machine: uint16(k.machine), Version: 1, Phoff: 64, Phentsize: 56,
		Phnum: 1,
		Shoff: uint64(strAt + len(str)), Shentsize: 64, Shnum: 4, Shstrndx: 3, Ehsize: 64}
	copy(head.Ident[:], "\x7fELF\x02\x01\x01")
	prog := elf.Prog64{Type: uint32(elf.PT_LOAD), Flags: uint32(elf.PF_R), Vaddr: fakeBase,
		Filesz: uint64(fileSize), Memsz: uint64(fileSize + 4096)}
	return join(join(nil, head, prog), body[headers:], syms, str, sections)
}

// join appends fixed-size values in little-endian order.
func join(b []byte, values ...any) []byte {
	buf := bytes.NewBuffer(b)
	for _, v := range values {
		if err := binary.Write(buf, binary.LittleEndian, v); err != nil {
			panic(err)
		}
	}
	return buf.Bytes()
}

func int32Bytes(n int32) []byte { return join(nil, n) }
