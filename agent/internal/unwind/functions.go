package unwind

import (
	"errors"
	"fmt"
	"math"

	"github.com/hotspan/hotspan/agent/internal/flow"
)

// function is an entry of .eh_frame for one function, in few bytes: a file may have hundreds of thousands.
type function struct {
	begin        uint64 // ELF virtual address
	size         uint32
	start, end   uint32 // of its program, in the section
	commonNumber uint32
}

func (f *function) span() flow.Span { return flow.Span{Start: f.begin, End: f.begin + uint64(f.size)} }

// maxCommon bounds the common entries of a section. Node 26 has 41.
const maxCommon = 1 << 14

// parser reads .eh_frame (Linux Standard Base 5.0, section 10.6). It is our own, since libraries make an object of each
// entry, which took two fifths of the CPU time of Build.
type parser struct {
	data      []byte
	addr      uint64
	functions []function // those that keep accepts
	keep      func(begin, end uint64) bool
	common    []common
	numbers   map[int]int // of the common entries, by where they begin
}

// bytesPerFunction is about what an entry takes in .eh_frame: 37 in Node 24.
const bytesPerFunction = 32

// functions parses a section that follow has checked, and returns the functions that keep accepts, in its order.
func functions(data []byte, addr uint64, keep func(begin, end uint64) bool) (*parser, error) {
	p := &parser{
		data: data, addr: addr, keep: keep, numbers: map[int]int{},
		functions: make([]function, 0, len(data)/bytesPerFunction),
	}
	for at := 0; at < len(data); {
		r := p.record(at)
		if err := p.entry(at, r); err != nil {
			return nil, fmt.Errorf("malformed .eh_frame: entry at %#x: %w", at, err)
		}
		at += 4 + len(r.b)
	}
	return p, nil
}

// record returns what is behind the length of the record at an offset.
func (p *parser) record(at int) reader {
	r := reader{b: p.data[at:]}
	return reader{b: r.bytes(r.number(4))}
}

// entry parses a record, if it is one of a function.
func (p *parser) entry(at int, r reader) error {
	if len(r.b) == 0 {
		return nil // a terminator
	}
	end := at + 4 + len(r.b)
	back := int(r.number(4)) // from here to the common entry
	if back == 0 {
		return nil // a common entry
	}
	number, err := p.use(at + 4 - back)
	if err != nil {
		return err
	}
	c := &p.common[number]
	begin := c.pointers.read(&r, p.addr+uint64(end-len(r.b)))
	size := c.pointers.absolute().read(&r, 0)
	if c.augmented {
		r.block()
	}
	if r.short {
		return errors.New("cut off")
	}
	if size <= math.MaxUint32 && p.keep(begin, begin+size) {
		p.functions = append(p.functions,
			function{begin, uint32(size), uint32(end - len(r.b)), uint32(end), uint32(number)})
	}
	return nil
}

// use returns the number of the common entry at an offset.
func (p *parser) use(at int) (int, error) {
	if number, ok := p.numbers[at]; ok {
		return number, nil
	}
	if at < 0 || len(p.common) == maxCommon {
		return 0, fmt.Errorf("common entry at %#x, after %d others", at, len(p.common))
	}
	c, err := parseCommon(p.record(at))
	if err != nil {
		return 0, fmt.Errorf("common entry at %#x: %w", at, err)
	}
	p.numbers[at] = len(p.common)
	p.common = append(p.common, c)
	return len(p.common) - 1, nil
}
