// Package elfheaders reads the headers of ELF files, which may be anybody's.
package elfheaders

import (
	"debug/elf"
	"fmt"
	"io"
	"math"
)

// most is how many bytes headers may have, with the names of sections. Those of Node.js have some KiB.
const most = 8 << 20

// Limits of the segments and sections of a file, all of which are gone through again and again. Node.js has 14 and 42.
const maxSegments, maxSections = 128, 16 << 10

// Open is elf.NewFile, but for a file that says that its headers are as long as it is, which would all be in memory, or
// that has too many. The file that it returns is read from r.
func Open(r io.ReaderAt) (*elf.File, error) {
	f, err := OpenCore(r)
	if err == nil && (len(f.Progs) > maxSegments || len(f.Sections) > maxSections) {
		return nil, fmt.Errorf("it has %d segments and %d sections, more than %d or %d", len(f.Progs), len(f.Sections),
			maxSegments, maxSections)
	}
	return f, err
}

// OpenCore is Open for core files, which have a segment for each mapping of a process.
func OpenCore(r io.ReaderAt) (*elf.File, error) {
	l := &limited{ReaderAt: r, left: most}
	f, err := elf.NewFile(l)
	if l.left < 0 {
		return nil, fmt.Errorf("its headers have more than %d MiB", most>>20)
	}
	l.left = math.MaxInt64
	return f, err
}

// limited is a file of which few bytes can be read, until all can.
type limited struct {
	io.ReaderAt
	left int64
}

// ReadAt implements io.ReaderAt.
func (l *limited) ReadAt(b []byte, off int64) (int, error) {
	if l.left == math.MaxInt64 {
		return l.ReaderAt.ReadAt(b, off)
	}
	if l.left -= int64(len(b)); l.left < 0 {
		return 0, io.ErrUnexpectedEOF
	}
	return l.ReaderAt.ReadAt(b, off)
}

// File returns what was given to Open, for the reader of a section or a segment that it is inside of.
func File(r io.ReaderAt) io.ReaderAt {
	if l, ok := r.(*limited); ok {
		return l.ReaderAt
	}
	return r
}
