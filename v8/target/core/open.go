package core

import (
	"debug/elf"
	"errors"
	"fmt"
	"io"
	"sort"
	"strings"

	"github.com/hotspan/hotspan/v8/elfheaders"
)

// maxSegments bounds the segments of a core file: more would need an extended header, which is not read.
const maxSegments = 1<<16 - 2

// Open reads a core file of size bytes. It reads the headers and notes, not the memory, which later reads take from
// file.
func Open(file io.ReaderAt, size int64) (*Core, error) {
	c := &Core{from: file, size: uint64(max(size, 0)), files: map[string]io.ReaderAt{}}
	f, err := elfheaders.OpenCore(io.NewSectionReader(file, 0, int64(c.size)))
	switch {
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return nil, fmt.Errorf("open core: headers: short read (%d bytes of file): the file is cut off", size)
	case err != nil && strings.HasPrefix(err.Error(), "bad magic number"): // debug/elf has no error of its own for it
		return nil, fmt.Errorf("open core: it is no core file: %w", err)
	case err != nil:
		return nil, fmt.Errorf("open core: %w", err)
	}
	if f.Type != elf.ET_CORE || f.Class != elf.ELFCLASS64 || f.Data != elf.ELFDATA2LSB ||
		f.Machine != elf.EM_X86_64 {
		return nil, fmt.Errorf("open core: it is no core file of x86-64 Linux, but %v %v %v", f.Class, f.Machine,
			f.Type)
	}
	if len(f.Progs) > maxSegments {
		return nil, fmt.Errorf("open core: more than %d segments", maxSegments)
	}
	var notes notes
	for _, p := range f.Progs {
		switch p.Type {
		case elf.PT_NOTE:
			err = notes.read(c, p.Off, p.Filesz)
		case elf.PT_LOAD:
			err = c.addSegment(&p.ProgHeader)
		}
		if err != nil {
			return nil, fmt.Errorf("open core: %w", err)
		}
	}
	if len(c.Threads) == 0 {
		return nil, fmt.Errorf("open core: it has no note PRSTATUS: no thread")
	}
	if err := c.sort(); err != nil {
		return nil, fmt.Errorf("open core: %w", err)
	}
	c.addFiles(notes.files)
	return c, nil
}

// addSegment adds the mapping of a PT_LOAD segment. Of a file that was cut off, memory is missing.
func (c *Core) addSegment(p *elf.ProgHeader) error {
	if p.Vaddr+p.Memsz < p.Vaddr || p.Filesz > p.Memsz {
		return fmt.Errorf("segment at 0x%x: %d bytes of file, %d of memory", p.Vaddr, p.Filesz, p.Memsz)
	}
	if p.Memsz == 0 {
		return nil
	}
	held := p.Filesz
	if left := c.size - min(p.Off, c.size); held > left {
		c.Missing += held - left
		held = left
	}
	c.Mappings = append(c.Mappings, Mapping{
		Start: p.Vaddr, End: p.Vaddr + p.Memsz, Write: p.Flags&elf.PF_W != 0, Exec: p.Flags&elf.PF_X != 0,
		Reserved: p.Flags&(elf.PF_R|elf.PF_W|elf.PF_X) == 0 && p.Filesz == 0,
		at:       p.Off, held: held, full: p.Filesz,
	})
	return nil
}

// sort puts the mappings in order. None may overlap.
func (c *Core) sort() error {
	sortByStart(c.Mappings)
	for i := range c.Mappings[min(1, len(c.Mappings)):] {
		if a, b := &c.Mappings[i], &c.Mappings[i+1]; b.Start < a.End {
			return fmt.Errorf("segments at 0x%x and 0x%x overlap", a.Start, b.Start)
		}
	}
	return nil
}

func sortByStart(m []Mapping) {
	sort.SliceStable(m, func(i, j int) bool { return m[i].Start < m[j].Start })
}

// addFiles names the files of mappings. Debuggers leave out segments that a file has as well: these are mappings too,
// of which only the file is known. Of files that overlap, which no kernel writes, the first address counts: else each
// could name all mappings.
func (c *Core) addFiles(files []mappedFile) {
	sort.SliceStable(files, func(i, j int) bool { return files[i].start < files[j].start })
	var more []Mapping
	end := uint64(0) // of the file before
	for _, f := range files {
		if f.start < end {
			continue
		}
		end = f.end
		i := c.find(f.start)
		if i < len(c.Mappings) && c.Mappings[i].Start <= f.start {
			for ; i < len(c.Mappings) && c.Mappings[i].Start < f.end; i++ {
				if m := &c.Mappings[i]; m.Start >= f.start && m.End <= f.end {
					m.Path, m.Offset = f.path, f.offset+(m.Start-f.start)
				}
			}
			continue
		}
		upTo := f.end
		if i < len(c.Mappings) {
			upTo = min(upTo, c.Mappings[i].Start)
		}
		more = append(more, Mapping{Start: f.start, End: upTo, Path: f.path, Offset: f.offset, noted: true})
	}
	more = append(more, c.Mappings...)
	sortByStart(more)
	c.Mappings = c.Mappings[:0]
	for _, m := range more {
		if n := len(c.Mappings); n == 0 || m.Start >= c.Mappings[n-1].End {
			c.Mappings = append(c.Mappings, m)
		}
	}
}
