package sourcemap

import (
	"fmt"
	"slices"
	"strings"
)

// decoder decodes the mappings of one map. Lines end with semicolons and segments with commas; a segment has 1, 4 or 5
// numbers, each the difference to the last of its kind. (ECMA-426, "Mappings structure")
type decoder struct {
	m                         *Map
	end                       offset // where the next section begins
	mappings                  string
	at                        int // index of the next byte
	line, shift               int // generated line, and what is added to its columns
	sources, names            int // indices that 0 means
	nSources, nNames          int
	source, row, column, name int // as the last segment left them
}

func (d *decoder) decode() error {
	n := strings.Count(d.mappings, ",") + strings.Count(d.mappings, ";") + 1
	if n+len(d.m.segments) > maxSegments {
		return fmt.Errorf("%d segments, at most %d are kept: %w", n+len(d.m.segments), maxSegments, ErrTooLarge)
	}
	d.m.segments = slices.Grow(d.m.segments, n)
	generated := 0
	for d.at < len(d.mappings) {
		switch d.mappings[d.at] {
		case ';':
			d.at++
			d.line++
			d.shift, generated = 0, 0
			if d.line > maxLines {
				return fmt.Errorf("more than %d lines: %w", maxLines, ErrTooLarge)
			}
		case ',':
			d.at++
		default:
			s, err := d.segment(&generated)
			if err != nil {
				return fmt.Errorf("mappings, byte %d, generated line %d: %w", d.at, d.line+1, err)
			}
			d.put(s)
		}
	}
	return nil
}

// put appends a segment if it lies before the next section.
func (d *decoder) put(s segment) {
	if !(offset{d.line, int(s.column)}).before(d.end) {
		return
	}
	for len(d.m.lines) <= d.line {
		d.m.lines = append(d.m.lines, int32(len(d.m.segments)))
	}
	d.m.segments = append(d.m.segments, s)
}

func (d *decoder) segment(generated *int) (segment, error) {
	s := segment{source: none, name: none}
	var field [5]int
	n := 0
	for ; d.at < len(d.mappings) && d.mappings[d.at] != ',' && d.mappings[d.at] != ';'; n++ {
		if n == len(field) {
			return s, fmt.Errorf("a segment of more than %d numbers", len(field))
		}
		var err error
		if field[n], err = d.number(); err != nil {
			return s, err
		}
	}
	if n != 1 && n != 4 && n != 5 {
		return s, fmt.Errorf("a segment of %d numbers", n)
	}
	err := add(generated, field[0], "generated column", maxNumber-d.shift)
	s.column = int32(*generated + d.shift)
	if n == 1 || err != nil {
		return s, err
	}
	return s, d.origin(&s, field, n)
}

// origin sets the source fields of a segment.
func (d *decoder) origin(s *segment, field [5]int, n int) error {
	if err := add(&d.source, field[1], "source", d.nSources-1); err != nil {
		return err
	}
	if err := add(&d.row, field[2], "line", maxNumber-1); err != nil {
		return err
	}
	if err := add(&d.column, field[3], "column", maxNumber-1); err != nil {
		return err
	}
	s.source, s.line, s.origin = int32(d.sources+d.source), int32(d.row), int32(d.column)
	if n == 5 {
		if err := add(&d.name, field[4], "name", d.nNames-1); err != nil {
			return err
		}
		s.name = int32(d.names + d.name)
	}
	return nil
}

func add(to *int, delta int, what string, limit int) error {
	if *to += delta; *to < 0 || *to > limit {
		return fmt.Errorf("%s %d, the last is %d", what, *to, limit)
	}
	return nil
}

// digits has the value of each base64 digit, and 0xff for other bytes.
var digits = func() (t [256]byte) {
	for i := range t {
		t[i] = 0xff
	}
	for i, c := range "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/" {
		t[c] = byte(i)
	}
	return t
}()

// number reads a variable-length quantity: five bits a digit, least significant first, 32 = more follow; the lowest bit
// of the whole is the sign.
func (d *decoder) number() (int, error) {
	n := 0
	for shift := 0; d.at < len(d.mappings); shift += 5 {
		c := digits[d.mappings[d.at]]
		if c == 0xff {
			return 0, fmt.Errorf("%q is not a base64 digit", d.mappings[d.at])
		}
		d.at++
		if n |= int(c&31) << shift; n > 1<<32 {
			return 0, fmt.Errorf("a number of more than 32 bits")
		}
		if c < 32 {
			if n&1 != 0 {
				return -(n >> 1), nil
			}
			return n >> 1, nil
		}
		if shift == 30 {
			return 0, fmt.Errorf("a number of more than 7 digits")
		}
	}
	return 0, fmt.Errorf("a number is cut off")
}
