package loaded

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/hotspan/hotspan/agent/internal/procs"
)

// Limits of what a process has mapped and what its files say of themselves.
const (
	maxTries    = 8        // places where the file may be loaded
	maxMappings = 1024     // of the file
	maxSegments = 64       // Node has 14
	maxOffset   = 64 << 30 // bytes of a file
)

var errNotELF = errors.New("no ELF file of 64 bits")

// littleEndian64 begins an ELF file of 64 bits.
var littleEndian64 = []byte(elf.ELFMAG + string([]byte{byte(elf.ELFCLASS64), byte(elf.ELFDATA2LSB)}))

// Open returns the file that a process has loaded, of its mappings. mem is the memory of the process by address. The
// error says why no place in memory is one where that file was loaded.
func Open(mem io.ReaderAt, maps []procs.Mapping, of procs.FileID) (*File, error) {
	var own []procs.Mapping
	for _, m := range maps {
		if m.File() == of && len(own) < maxMappings {
			own = append(own, m)
		}
	}
	err := fmt.Errorf("its first bytes: %w", errNotLoaded)
	tries := 0
	for _, m := range own {
		if m.Offset != 0 {
			continue
		}
		if tries++; tries > maxTries {
			break
		}
		f, failed := load(mem, own, m)
		if failed == nil {
			return f, nil
		}
		err = fmt.Errorf("at %#x: %w", m.Start, failed)
	}
	return nil, err
}

// load returns the file that is loaded at the mapping of its first bytes.
func load(mem io.ReaderAt, own []procs.Mapping, first procs.Mapping) (*File, error) {
	f := &File{mem: mem}
	if err := f.readHeader(first); err != nil {
		return nil, err
	}
	if !f.place(first.Start) {
		return nil, fmt.Errorf("no segment begins there: %w", errNotLoaded)
	}
	if i := slices.IndexFunc(f.segments, tooLarge); i >= 0 {
		return nil, fmt.Errorf("a segment of %d bytes at %#x", f.segments[i].Filesz, f.segments[i].Off)
	}
	for _, writable := range []bool{false, true} {
		for _, p := range f.segments {
			if p.Type == elf.PT_LOAD && p.Flags&elf.PF_W != 0 == writable {
				f.addSegment(p, own)
			}
		}
	}
	return f, f.makeSections()
}

func tooLarge(p *elf.Prog) bool { return p.Off > maxOffset || p.Filesz > maxOffset }

// readHeader reads the file's header and segments, of a mapping with its first bytes.
func (f *File) readHeader(first procs.Mapping) error {
	f.header = make([]byte, headerSize)
	if _, err := f.mem.ReadAt(f.header, int64(first.Start)); err != nil {
		return err
	}
	if !bytes.HasPrefix(f.header, littleEndian64) {
		return errNotELF
	}
	if n := binary.LittleEndian.Uint16(f.header[56:]); n > maxSegments {
		return fmt.Errorf("%d segments, more than %d", n, maxSegments)
	}
	f.setSections(0, 0)
	whole := io.NewSectionReader(f.mem, int64(first.Start), int64(first.End-first.Start))
	f.parts = []part{
		{0, headerSize, bytes.NewReader(f.header), 0},
		{0, int64(first.End - first.Start), whole, 0},
	}
	file, err := elf.NewFile(f)
	if err != nil {
		return err
	}
	f.parts, f.segments = f.parts[:1], file.Progs
	return nil
}

// place finds the bias of a file whose first byte is at an address.
func (f *File) place(start uint64) bool {
	for _, p := range f.segments {
		if p.Type == elf.PT_LOAD && p.Off == 0 {
			f.bias = start - p.Vaddr
			return true
		}
	}
	return false
}

// addSegment adds what is mapped of a segment where it belongs.
func (f *File) addSegment(p *elf.Prog, own []procs.Mapping) {
	r := f.mem
	if p.Flags&elf.PF_W != 0 && f.bias != 0 {
		r = integers{r}
	}
	start := f.bias + p.Vaddr
	for _, m := range own {
		low, high := max(start, m.Start), min(start+p.Filesz, m.End)
		if low < high && m.Start-m.Offset == start-p.Off {
			f.parts = append(f.parts, part{int64(p.Off + low - start), int64(high - low), r, int64(low)})
		}
	}
}
