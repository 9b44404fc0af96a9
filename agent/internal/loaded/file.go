// Package loaded reads an ELF file from the memory of a process that has loaded it, for when the file itself cannot be
// had any more.
//
// What is not loaded is missing: the section headers, and with them .symtab. File has made-up ones for the parts that
// the dynamic linker is told of. Memory that the process may write to is not what the file has there: the dynamic
// linker has put addresses into it. Those that relocations name are known by them. Where the file is not loaded at the
// addresses that it was linked for, there are others, so that of such memory a File has 4 bytes at a time, no address.
package loaded

import (
	"debug/elf"
	"errors"
	"fmt"
	"io"
)

// maxRead is how many bytes are read at a time: a page that comes late is waited for with few others.
const maxRead = 64 << 10

// Sizes of parts of an ELF file of 64 bits, in bytes. (System V ABI)
const (
	headerSize        = 64
	sectionHeaderSize = 64
	symbolSize        = 24
	dynamicSize       = 16
)

// File is a file by file offsets, with section headers behind what is loaded of it. (io.ReaderAt) Where neither is, it
// is an error to read. It is safe for concurrent use if the memory is.
type File struct {
	mem      io.ReaderAt
	header   []byte
	segments []*elf.Prog
	bias     uint64 // address minus ELF virtual address
	parts    []part // the first that has an offset counts
	missing  error  // why it has no symbols
}

// Missing says why a file has no section with its symbols; nil if it has, or the process was told of none.
func (f *File) Missing() error { return f.missing }

// part is a range of a file, which r has from the offset at on.
type part struct {
	off, size int64
	r         io.ReaderAt
	at        int64
}

var (
	errNotLoaded = errors.New("the process has not loaded this part of the file")
	errRelocated = errors.New("an address in it may be relocated")
)

// integers reads memory that may have relocated addresses in it, but no more than 4 bytes at a time, which have none.
type integers struct{ io.ReaderAt }

func (r integers) ReadAt(b []byte, off int64) (int, error) {
	if len(b) > 4 {
		return 0, errRelocated
	}
	return r.ReaderAt.ReadAt(b, off)
}

// ReadAt reads from the file. (io.ReaderAt)
func (f *File) ReadAt(b []byte, off int64) (n int, err error) {
	for n < len(b) && err == nil {
		var some int
		some, err = f.readSome(b[n:], off+int64(n))
		n += some
	}
	return n, err
}

// readSome reads from the first part that has an offset, as far as no other comes first.
func (f *File) readSome(b []byte, off int64) (int, error) {
	size := int64(min(len(b), maxRead))
	for _, p := range f.parts {
		if in := off - p.off; in >= 0 && in < p.size {
			return p.r.ReadAt(b[:min(size, p.size-in)], p.at+in)
		} else if in < 0 {
			size = min(size, -in)
		}
	}
	return 0, fmt.Errorf("offset %d: %w", off, errNotLoaded)
}
