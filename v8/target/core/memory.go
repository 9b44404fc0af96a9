package core

import (
	"errors"
	"fmt"
	"sort"
)

// Errors of reading memory.
var (
	ErrNotMapped = errors.New("nothing was mapped there")
	ErrNotHeld   = errors.New("the core does not have that memory")
	ErrCutOff    = errors.New("the core file was cut off before that memory")
)

// find returns the index of the first mapping that ends behind an address.
func (c *Core) find(addr uint64) int {
	return sort.Search(len(c.Mappings), func(i int) bool { return c.Mappings[i].End > addr })
}

// ReadAt reads len(p) bytes at the address off. What the core does not have comes from the attached file that was
// mapped there. The error wraps ErrNotMapped, ErrNotHeld or ErrCutOff; n bytes before it were read.
func (c *Core) ReadAt(p []byte, off int64) (n int, err error) {
	for n < len(p) {
		at := uint64(off) + uint64(n)
		i := c.find(at)
		if i == len(c.Mappings) || c.Mappings[i].Start > at {
			return n, fmt.Errorf("read %d bytes at 0x%x: 0x%x: %w", len(p), uint64(off), at, ErrNotMapped)
		}
		got, err := c.readMapping(&c.Mappings[i], p[n:], at)
		n += got
		if err != nil {
			return n, fmt.Errorf("read %d bytes at 0x%x: 0x%x: %w", len(p), uint64(off), at+uint64(got), err)
		}
	}
	return n, nil
}

// readMapping reads up to the end of what one source has of a mapping.
func (c *Core) readMapping(m *Mapping, p []byte, at uint64) (int, error) {
	from := at - m.Start
	p = p[:min(uint64(len(p)), m.End-at)]
	if from < m.held {
		p = p[:min(uint64(len(p)), m.held-from)]
		return c.from.ReadAt(p, int64(m.at+from))
	}
	file := c.files[m.Path]
	switch {
	case from < m.full:
		return 0, ErrCutOff
	case file == nil, m.Write: // what the process wrote there is not in the file
		return 0, ErrNotHeld
	}
	n, err := file.ReadAt(p, int64(m.Offset+from))
	if n == len(p) {
		return n, nil
	}
	return n, errors.Join(ErrNotHeld, err)
}
