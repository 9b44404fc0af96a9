package unwind

import (
	"bytes"
	"errors"
	"fmt"
)

// common is what functions share: the state before their programs, the units of these, and the form of their entries.
type common struct {
	code      uint64
	data      int64
	initial   state
	pointers  encoding
	augmented bool // entries have data of a length before their programs
}

// parseCommon parses a common entry (a CIE). Its program must not advance.
func parseCommon(r reader) (c common, err error) {
	const version1 = 1
	id, version := r.number(4), r.byte()
	name, rest, ok := bytes.Cut(r.b, []byte{0})
	if id != 0 || r.short || !ok {
		return c, errors.New("not a common entry")
	}
	r.b = rest
	c.code, c.data = r.uleb(), r.sleb()
	ra := uint64(0)
	if version == version1 {
		ra = uint64(r.byte())
	} else {
		ra = r.uleb()
	}
	if err := c.augment(name, &r); err != nil {
		return c, err
	}
	if r.short {
		return c, errors.New("cut off")
	}
	m := machine{code: c.code, data: c.data, initial: &state{}}
	m.run(r.b, 0, 1, func(_ uint64, got *state) { c.initial = *got })
	if ra != regRA {
		c.initial.broken = true
	}
	return c, nil
}

// augment reads the augmentation data, whose parts the letters of name tell.
func (c *common) augment(name []byte, r *reader) error {
	if len(name) == 0 {
		return nil
	}
	if name[0] != 'z' {
		return fmt.Errorf("augmentation %q", name)
	}
	c.augmented = true
	data := reader{b: r.block()}
	for _, letter := range name[1:] {
		switch letter {
		case 'R':
			c.pointers = encoding(data.byte())
			if !c.pointers.known() || c.pointers&indirect != 0 {
				return fmt.Errorf("pointers of encoding %#x", uint8(c.pointers))
			}
		case 'L':
			data.byte()
		case 'P':
			personality := encoding(data.byte())
			if !personality.known() {
				return fmt.Errorf("pointer of encoding %#x", uint8(personality))
			}
			personality.read(&data, 0)
		case 'S': // a frame of a signal, which its rules tell
		default:
			return fmt.Errorf("augmentation %q", name)
		}
	}
	r.short = r.short || data.short
	return nil
}
