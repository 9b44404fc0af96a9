package core

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"strings"
)

// Types of notes with the name CORE. (include/uapi/linux/elf.h)
const (
	ntPrstatus = 1
	ntPrpsinfo = 3
	ntAuxv     = 6
	ntFile     = 0x46494c45
	ntSiginfo  = 0x53494749
)

// Offsets in struct elf_prpsinfo of 64-bit Linux. (include/uapi/linux/elfcore.h)
const (
	psPID      = 24
	psName     = 40
	psArgs     = 56
	psSize     = 136
	psNameSize = 16
)

// Limits of notes, in bytes. That of the notes FILE is of all together: segments of notes may overlap.
const (
	maxAuxv     = 4096
	maxFileNote = 16 << 20
)

// maxNotes bounds how many notes there are, maxMapped the mappings of files: as many as segments at most.
const maxNotes, maxMapped = 1 << 20, 1<<16 - 2

var noteNames = map[uint32]string{
	ntPrstatus: "PRSTATUS", ntPrpsinfo: "PRPSINFO", ntAuxv: "AUXV", ntFile: "FILE", ntSiginfo: "SIGINFO",
}

// mappedFile is an entry of the note FILE.
type mappedFile struct {
	start, end, offset uint64
	path               string
}

// notes are what is read of a core's notes and needed later.
type notes struct {
	count     int
	fileBytes uint64 // of the notes FILE
	files     []mappedFile
}

// read reads a segment of notes: each is sizes of name and contents, a type, the name and the contents, both padded to
// four bytes.
func (n *notes) read(c *Core, at, size uint64) error {
	const head = 12
	if at > c.size || size > c.size-at {
		return fmt.Errorf("notes: short read (%d of %d bytes): the file is cut off", c.size-min(at, c.size), size)
	}
	for end := at + size; end-at >= head; {
		var b [head]byte
		if _, err := c.from.ReadAt(b[:], int64(at)); err != nil {
			return fmt.Errorf("notes: %w", err)
		}
		name, size := uint64(binary.LittleEndian.Uint32(b[:])), uint64(binary.LittleEndian.Uint32(b[4:]))
		kind := binary.LittleEndian.Uint32(b[8:])
		at += head
		if left := end - at; name+3 > left || (name+3)&^3+size > left {
			return fmt.Errorf("note %s: short read (%d of %d bytes)", nameOf(kind), left, name+size)
		}
		if n.count++; n.count > maxNotes {
			return fmt.Errorf("more than %d notes", maxNotes)
		}
		if err := n.one(c, kind, at, name, at+(name+3)&^3, size); err != nil {
			return fmt.Errorf("note %s: %w", nameOf(kind), err)
		}
		at = min(end, at+(name+3)&^3+(size+3)&^3)
	}
	return nil
}

func nameOf(kind uint32) string {
	if name, ok := noteNames[kind]; ok {
		return name
	}
	return fmt.Sprintf("0x%x", kind)
}

// one reads a note, if it is one of CORE that is needed.
func (n *notes) one(c *Core, kind uint32, nameAt, nameSize, at, size uint64) error {
	if noteNames[kind] == "" || nameSize != 5 {
		return nil
	}
	var name [5]byte
	if _, err := c.from.ReadAt(name[:], int64(nameAt)); err != nil {
		return err
	}
	if string(name[:]) != "CORE\x00" {
		return nil
	}
	least, most := limitsOf(kind)
	switch {
	case size < least:
		return fmt.Errorf("short read (%d of %d bytes)", size, least)
	case kind == ntFile && n.fileBytes+size > most:
		return fmt.Errorf("%d bytes, more than %d", n.fileBytes+size, most)
	case kind == ntFile:
		n.fileBytes += size
	}
	b := make([]byte, min(size, most))
	if _, err := c.from.ReadAt(b, int64(at)); err != nil {
		return err
	}
	switch kind {
	case ntPrstatus:
		return c.addThread(b)
	case ntPrpsinfo:
		c.PID = int(int32(binary.LittleEndian.Uint32(b[psPID:])))
		c.Executable, c.Arguments = text(b[psName:psName+psNameSize]), strings.TrimSpace(text(b[psArgs:]))
	case ntAuxv:
		c.readAuxiliary(b)
	case ntSiginfo:
		c.readSignal(b)
	case ntFile:
		return n.readFiles(b)
	}
	return nil
}

// limitsOf is how many bytes a note must have, and how many are read of it.
func limitsOf(kind uint32) (least, most uint64) {
	switch kind {
	case ntPrstatus:
		return prSize, prSize
	case ntPrpsinfo:
		return psSize, psSize
	case ntSiginfo:
		return 24, 24
	case ntAuxv:
		return 0, maxAuxv
	}
	return 16, maxFileNote
}

func text(b []byte) string {
	text, _, _ := bytes.Cut(b, []byte{0})
	return strings.ToValidUTF8(string(text), "\ufffd")
}

func (c *Core) readAuxiliary(b []byte) {
	c.Auxiliary = map[uint64]uint64{}
	for ; len(b) >= 16; b = b[16:] {
		key := binary.LittleEndian.Uint64(b)
		if key == 0 {
			return
		}
		c.Auxiliary[key] = binary.LittleEndian.Uint64(b[8:])
	}
}

// readSignal reads the siginfo_t of the thread that comes first; gdb writes one of each. Codes from 1 on are the
// kernel's: others sent the signal, and there is no address.
func (c *Core) readSignal(b []byte) {
	const segv, bus = 11, 7
	signal, code := int(binary.LittleEndian.Uint32(b)), int32(binary.LittleEndian.Uint32(b[8:]))
	if len(c.Threads) < 2 && signal == c.Signal && code > 0 && (signal == segv || signal == bus) {
		c.Fault = binary.LittleEndian.Uint64(b[16:])
	}
}

// readFiles reads the note FILE: the number of mappings, the unit of their offsets, for each its start, end and offset,
// then their paths. (fs/binfmt_elf.c, fill_files_note)
func (n *notes) readFiles(b []byte) error {
	const head, entry = 16, 24
	count, unit := binary.LittleEndian.Uint64(b), binary.LittleEndian.Uint64(b[8:])
	if count > uint64(len(b)-head)/entry {
		return fmt.Errorf("short read (%d bytes for %d mappings)", len(b), count)
	}
	if uint64(len(n.files))+count > maxMapped {
		return fmt.Errorf("more than %d mappings of files", maxMapped)
	}
	if unit == 0 || unit > 1<<30 {
		return fmt.Errorf("offsets in units of %d bytes", unit)
	}
	paths := b[head+count*entry:]
	for i := range count {
		e := b[head+i*entry:]
		f := mappedFile{start: binary.LittleEndian.Uint64(e), end: binary.LittleEndian.Uint64(e[8:]),
			offset: binary.LittleEndian.Uint64(e[16:]) * unit}
		path, rest, ok := bytes.Cut(paths, []byte{0})
		if !ok || f.end <= f.start || f.offset+(f.end-f.start) < f.offset {
			return fmt.Errorf("mapping %d of %d: 0x%x to 0x%x, path of %d bytes", i+1, count, f.start, f.end, len(path))
		}
		f.path, paths = string(path), rest
		n.files = append(n.files, f)
	}
	return nil
}
