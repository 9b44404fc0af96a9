package core

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
)

// written is a core file that a test puts together.
type written struct {
	notes    []byte
	segments []elf.Prog64
	memory   [][]byte
}

func (w *written) note(kind uint32, contents []byte) {
	for _, n := range []uint32{5, uint32(len(contents)), kind} {
		w.notes = binary.LittleEndian.AppendUint32(w.notes, n)
	}
	w.notes = append(w.notes, "CORE\x00\x00\x00\x00"...)
	w.notes = append(w.notes, contents...)
	w.notes = append(w.notes, make([]byte, -len(contents)&3)...)
}

// segment adds memory of a size, of which the file has the first bytes.
func (w *written) segment(at, size uint64, flags elf.ProgFlag, held []byte) {
	w.segments = append(w.segments, elf.Prog64{Type: uint32(elf.PT_LOAD), Flags: uint32(flags), Vaddr: at,
		Filesz: uint64(len(held)), Memsz: size})
	w.memory = append(w.memory, held)
}

func (w *written) bytes() []byte {
	const headers = 64
	h := elf.Header64{Type: uint16(elf.ET_CORE), Machine: uint16(elf.EM_X86_64), Version: 1, Phoff: headers,
		Ehsize: headers, Phentsize: 56, Phnum: uint16(1 + len(w.segments))}
	copy(h.Ident[:], elf.ELFMAG)
	h.Ident[elf.EI_CLASS], h.Ident[elf.EI_DATA], h.Ident[elf.EI_VERSION] = 2, 1, 1
	at := uint64(headers + 56*(1+len(w.segments)))
	all := []elf.Prog64{{Type: uint32(elf.PT_NOTE), Off: at, Filesz: uint64(len(w.notes))}}
	at += uint64(len(w.notes))
	for _, s := range w.segments {
		s.Off = at
		at += s.Filesz
		all = append(all, s)
	}
	var b bytes.Buffer
	binary.Write(&b, binary.LittleEndian, h)
	binary.Write(&b, binary.LittleEndian, all)
	b.Write(w.notes)
	for _, m := range w.memory {
		b.Write(m)
	}
	return b.Bytes()
}

// prstatus is the note of a thread whose registers are their numbers in struct user_regs_struct.
func prstatus(tid, signal int) []byte {
	b := make([]byte, prSize)
	binary.LittleEndian.PutUint16(b[prSignal:], uint16(signal))
	binary.LittleEndian.PutUint32(b[prTID:], uint32(tid))
	for i := range uint64(27) {
		binary.LittleEndian.PutUint64(b[prRegisters+8*i:], i)
	}
	return b
}

func prpsinfo(pid int, name, arguments string) []byte {
	b := make([]byte, psSize)
	binary.LittleEndian.PutUint32(b[psPID:], uint32(pid))
	copy(b[psName:], name)
	copy(b[psArgs:], arguments)
	return b
}

func words(all ...uint64) (b []byte) {
	for _, w := range all {
		b = binary.LittleEndian.AppendUint64(b, w)
	}
	return b
}

// fileNote is the note FILE, whose offsets count in pages.
func fileNote(files ...mappedFile) []byte {
	b := words(uint64(len(files)), 4096)
	for _, f := range files {
		b = append(b, words(f.start, f.end, f.offset/4096)...)
	}
	for _, f := range files {
		b = append(b, f.path+"\x00"...)
	}
	return b
}

// program is two pages of an ELF file with a build id, or without one.
func program(id string, fill byte) []byte {
	b := bytes.Repeat([]byte{fill}, 2*4096)
	h := elf.Header64{Type: uint16(elf.ET_EXEC), Machine: uint16(elf.EM_X86_64), Phoff: 64, Phentsize: 56, Phnum: 4}
	copy(h.Ident[:], elf.ELFMAG)
	h.Version, h.Ident[elf.EI_CLASS], h.Ident[elf.EI_DATA], h.Ident[elf.EI_VERSION] = 1, 2, 1, 1
	var note []byte
	if id != "" {
		for _, n := range []uint32{4, uint32(len(id)), 3} {
			note = binary.LittleEndian.AppendUint32(note, n)
		}
		note = append(append(note, "GNU\x00"...), id...)
	}
	var out bytes.Buffer
	binary.Write(&out, binary.LittleEndian, h)
	binary.Write(&out, binary.LittleEndian, []elf.Prog64{
		{Type: uint32(elf.PT_NOTE), Off: 512, Filesz: uint64(len(note))},
		{Type: uint32(elf.PT_LOAD), Flags: uint32(elf.PF_R), Off: 0, Vaddr: 0x1000, Filesz: 4096},
		{Type: uint32(elf.PT_LOAD), Flags: uint32(elf.PF_R | elf.PF_X), Off: 4096, Vaddr: 0x2000, Filesz: 4000},
		{Type: uint32(elf.PT_LOAD), Flags: uint32(elf.PF_W), Off: 4096 + 4000, Vaddr: 0x3000 + 4000, Filesz: 96},
	})
	copy(b, out.Bytes())
	copy(b[512:], note)
	return b
}

// sound is a core of a process with two threads: its program, of which the core has the first page, data, memory that
// the core does not have, and a library that only the note FILE names.
func sound() *written {
	w := &written{}
	w.note(ntPrstatus, prstatus(7, 11))
	w.note(ntPrpsinfo, prpsinfo(7, "node", "node app.js "))
	w.note(ntSiginfo, words(11, 1, 0xdead, 0))
	w.note(ntAuxv, words(3, 0x400040, 33, 0x7000, 0, 0))
	w.note(ntFile, fileNote(mappedFile{0x400000, 0x401000, 0, "/bin/node"},
		mappedFile{0x401000, 0x402000, 4096, "/bin/node"}, mappedFile{0x500000, 0x501000, 0, "/lib/a.so"}))
	w.note(ntPrstatus, prstatus(8, 11))
	w.note(0x202, make([]byte, 99))
	w.segment(0x400000, 0x1000, elf.PF_R, program("abcd", 1)[:4096])
	w.segment(0x401000, 0x1000, elf.PF_R|elf.PF_X, nil)
	w.segment(0x402000, 0x1000, elf.PF_R|elf.PF_W, bytes.Repeat([]byte{3}, 4096))
	w.segment(0x600000, 0x1000, elf.PF_R|elf.PF_W, nil)
	return w
}
