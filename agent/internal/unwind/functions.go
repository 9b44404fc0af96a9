package unwind

import (
	"encoding/binary"
	"fmt"
	"math"

	"github.com/go-delve/delve/pkg/dwarf/frame"
)

// function is an entry of .eh_frame for one function, in few bytes: a file may have hundreds of thousands.
type function struct {
	begin        uint64 // ELF virtual address
	size         uint32
	start, end   uint32 // of its program, in the section
	commonNumber uint32
}

// common is what functions share: the state before their programs, and the units of these.
type common struct {
	code    uint64
	data    int64
	initial state
}

// pieceSize is how many bytes of .eh_frame are parsed at a time. The parser makes an object of each entry; those of a
// piece are garbage before the next piece.
const pieceSize = 128 << 10

// parser parses .eh_frame piece by piece.
type parser struct {
	data      []byte
	addr      uint64
	functions []function // those that keep accepts
	keep      func(begin, end uint64) bool

	starts  map[int]int // where common entries begin, and their lengths
	numbers map[int]int // those that were used, by where they begin
	common  []common
	moved   map[int]int // of a piece: from where in the section to where in the buffer
	records []record    // of a piece
	buffer  []byte
}

// bytesPerFunction is about what an entry takes in .eh_frame: 37 in Node 24.
const bytesPerFunction = 32

// functions parses a section, and returns the functions that keep accepts, in its order.
func functions(data []byte, addr uint64, keep func(begin, end uint64) bool) (*parser, error) {
	p := &parser{
		data: data, addr: addr, keep: keep, starts: map[int]int{}, numbers: map[int]int{}, moved: map[int]int{},
		functions: make([]function, 0, len(data)/bytesPerFunction),
	}
	for from := 0; from < len(data); {
		to := from
		for to < len(data) && to-from < pieceSize {
			to += recordLength(data[to:])
		}
		if err := p.piece(from, to); err != nil {
			return nil, fmt.Errorf("malformed .eh_frame: %w", err)
		}
		from = to
	}
	return p, nil
}

// recordLength is the length of the record at the start of data, with its length field. (follow has checked it.)
func recordLength(data []byte) int { return 4 + int(binary.LittleEndian.Uint32(data)) }

// record is an entry for a function: where it begins, and where its common entry does.
type record struct{ at, common int }

// piece parses the records in [from, to). It puts the common entries before them that they refer to in front of them.
func (p *parser) piece(from, to int) error {
	if err := p.scan(from, to); err != nil {
		return err
	}
	p.buffer = p.buffer[:0]
	clear(p.moved)
	for _, r := range p.records {
		if _, ok := p.moved[r.common]; !ok && r.common < from {
			p.moved[r.common] = len(p.buffer)
			p.buffer = append(p.buffer, p.data[r.common:r.common+p.starts[r.common]]...)
		}
	}
	if p.addr+uint64(from) == uint64(len(p.buffer)) {
		p.buffer = append(p.buffer, 0, 0, 0, 0) // the library takes address 0 for no address
	}
	head := len(p.buffer)
	p.buffer = append(p.buffer, p.data[from:to]...)
	for _, r := range p.records {
		if where, ok := p.moved[r.common]; ok {
			field := head + r.at + 4 - from
			binary.LittleEndian.PutUint32(p.buffer[field:], uint32(field-where))
		}
	}
	entries, err := parse(p.buffer, p.addr+uint64(from)-uint64(head))
	if err != nil {
		return err
	}
	if len(entries) != len(p.records) {
		return fmt.Errorf("%d entries in %#x to %#x, want %d", len(entries), from, to, len(p.records))
	}
	for i, e := range entries {
		p.add(p.records[i], e)
	}
	return nil
}

// scan finds the records in [from, to).
func (p *parser) scan(from, to int) error {
	p.records = p.records[:0]
	for at := from; at < to; at += recordLength(p.data[at:]) {
		n := recordLength(p.data[at:])
		if n == 4 {
			continue // a terminator
		}
		id := int(binary.LittleEndian.Uint32(p.data[at+4:]))
		if id == 0 {
			p.starts[at] = n
			continue
		}
		r := record{at, at + 4 - id}
		if _, ok := p.starts[r.common]; !ok {
			return fmt.Errorf("entry at %#x: no common entry at %#x", at, r.common)
		}
		p.records = append(p.records, r)
	}
	return nil
}

func (p *parser) add(r record, e *frame.FrameDescriptionEntry) {
	if !p.keep(e.Begin(), e.End()) || e.End()-e.Begin() > math.MaxUint32 {
		return
	}
	end := r.at + recordLength(p.data[r.at:])
	p.functions = append(p.functions, function{
		e.Begin(), uint32(e.End() - e.Begin()), uint32(end - len(e.Instructions)), uint32(end), p.use(r.common, e.CIE),
	})
}

// use returns the number of a common entry, whose initial instructions must not advance.
func (p *parser) use(at int, c *frame.CommonInformationEntry) uint32 {
	if number, ok := p.numbers[at]; ok {
		return uint32(number)
	}
	out := common{code: c.CodeAlignmentFactor, data: c.DataAlignmentFactor}
	m := machine{code: out.code, data: out.data}
	end := at + p.starts[at]
	m.run(p.data[end-len(c.InitialInstructions):end], 0, 1, func(_ uint64, got *state) { out.initial = *got })
	if c.ReturnAddressRegister != regRA {
		out.initial.broken = true
	}
	p.numbers[at] = len(p.common)
	p.common = append(p.common, out)
	return uint32(len(p.common) - 1)
}

// parse wraps the DWARF parser, which panics on some malformed input.
func parse(data []byte, addr uint64) (fdes frame.FrameDescriptionEntries, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("%v", r)
		}
	}()
	const pointerSize = 8
	return frame.Parse(data, nil, 0, pointerSize, addr)
}
