package symbols

import (
	"bytes"
	"debug/elf"
	"encoding/hex"
	"fmt"
	"io"
)

const (
	// maxNotes bounds the segments and sections of notes, in bytes.
	maxNotes = 1 << 20
	// maxBuildID bounds a build id, in bytes. The usual SHA-1 has 20.
	maxBuildID = 64

	ntGNUBuildID = 3 // of the notes named GNU (Linux Standard Base)
	noteHeader   = 12
)

// BuildID returns the GNU build id of a file in lower-case hex, or "" if it has none. It searches the segments, which a
// stripped file and an image in memory have too, then the sections. The error is of reading notes.
func BuildID(f *elf.File) (string, error) {
	left := uint64(maxNotes)
	for _, p := range f.Progs {
		if p.Type != elf.PT_NOTE {
			continue
		}
		if id, err := findBuildID(p, min(p.Filesz, left), p.Align, f); err != nil || id != "" {
			return id, err
		}
		left -= min(p.Filesz, left)
	}
	for _, s := range f.Sections {
		if s.Type != elf.SHT_NOTE || s.Flags&elf.SHF_COMPRESSED != 0 {
			continue
		}
		if id, err := findBuildID(s, min(s.Size, left), s.Addralign, f); err != nil || id != "" {
			return id, err
		}
		left -= min(s.Size, left)
	}
	return "", nil
}

func findBuildID(r io.ReaderAt, size, align uint64, f *elf.File) (string, error) {
	notes := make([]byte, size)
	if n, err := r.ReadAt(notes, 0); n < len(notes) {
		return "", fmt.Errorf("build id: notes: %w (%d of %d bytes)", err, n, len(notes))
	}
	for at := 0; len(notes)-at >= noteHeader; {
		nameSize, size := f.ByteOrder.Uint32(notes[at:]), f.ByteOrder.Uint32(notes[at+4:])
		kind := f.ByteOrder.Uint32(notes[at+8:])
		name := at + noteHeader
		desc := name + padded(nameSize, align)
		if desc > len(notes) || int64(size) > int64(len(notes)-desc) {
			return "", nil // cut off, by maxNotes or by a tool: no build id in what is left
		}
		if kind == ntGNUBuildID && size <= maxBuildID &&
			bytes.Equal(notes[name:name+int(nameSize)], []byte("GNU\x00")) {
			return hex.EncodeToString(notes[desc : desc+int(size)]), nil
		}
		at = desc + padded(size, align)
		if at > len(notes) {
			break
		}
	}
	return "", nil
}

// padded rounds up to the alignment of notes: 8 if the file says so, else 4.
func padded(n uint32, align uint64) int {
	if align == 8 {
		return int((int64(n) + 7) &^ 7)
	}
	return int((int64(n) + 3) &^ 3)
}
