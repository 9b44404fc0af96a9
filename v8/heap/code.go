package heap

import (
	"cmp"
	"encoding/binary"
	"fmt"

	"github.com/hotspan/hotspan/v8/layout"
)

// Limits of one piece of machine code.
const (
	maxCode      = 8 << 20 // bytes of instructions
	maxScan      = 2 << 20 // bytes below a pc that are searched for the start of its code
	maxTypeReads = 1 << 12 // words that are looked at to find a header whose hidden class is not known
	maxHeaders   = 1 << 8  // of other code that are looked at
	maxBytecode  = 4 << 20 // bytes
	codeAlign    = 32      // of the first instruction
	codeHead     = 72      // bytes of a Code object that hold all that is read of it
)

// Code is a Code object: machine code that V8 made at run time.
type Code struct {
	Start, End uint64 // instructions, [Start, End)
	Kind       int    // CodeKind of this V8
	object     Word
	head       [codeHead]byte // as it was when the rest was read
}

// FindCode finds the code of an isolate that holds pc: the nearest header of an InstructionStream below it. V8's own
// tables are not used, since the target changes them while they are read. header is the hidden class of the isolate's
// InstructionStreams, an immortal, immovable root, or 0, and is set then. Up to V8 9 each isolate has its own.
func (r *Reader) FindCode(pc uint64, header *Word) (*Code, error) {
	if err := r.codeLimits(); err != nil {
		return nil, err
	}
	if *header != 0 {
		return r.scanCode(pc, header, func(w Word) bool { return w == *header })
	}
	if r.streamMap != 0 {
		if c, err := r.scanCode(pc, header, func(w Word) bool { return w == r.streamMap }); err == nil {
			return c, nil
		}
	}
	reads := 0
	c, err := r.scanCode(pc, header, func(w Word) bool {
		if !w.IsObject() || reads == maxTypeReads {
			return false
		}
		reads++
		t, err := r.TypeOf(w)
		return err == nil && t == r.l.At(layout.TypeInstructionStream)
	})
	if err == nil {
		r.streamMap = *header
	}
	return c, err
}

// scanCode goes down from pc to the first header whose code holds pc. is tells the hidden class of a header.
func (r *Reader) scanCode(pc uint64, header *Word, is func(Word) bool) (*Code, error) {
	body := uint64(r.l.At(layout.InstructionStreamBody))
	at := pc&^(codeAlign-1) + (codeAlign-body%codeAlign)%codeAlign
	if at > pc {
		at -= codeAlign
	}
	headers := 0
	const window = 4096
	buffer := make([]byte, window+8)
	for low := at &^ (window - 1); low <= pc && pc-low < maxScan; low -= window {
		b := buffer[:at-low+8]
		if _, err := r.read(b, low); err != nil {
			return nil, fmt.Errorf("code of pc 0x%x: %w", pc, err)
		}
		for ; at >= low && at <= pc; at -= codeAlign {
			hiddenClass := Word(binary.LittleEndian.Uint64(b[at-low:]))
			if !is(hiddenClass) {
				continue
			}
			if c := r.codeAt(at, pc); c != nil {
				*header = hiddenClass
				return c, nil
			}
			if headers++; headers == maxHeaders {
				return nil, fmt.Errorf("code of pc 0x%x: %d headers are not its own: %w", pc, headers, ErrNotFound)
			}
		}
	}
	return nil, fmt.Errorf("code of pc 0x%x: %w", pc, ErrNotFound)
}

// codeAt is the code whose InstructionStream begins at an address, if it holds pc.
func (r *Reader) codeAt(at uint64, pc uint64) *Code {
	object, err := r.codeOf(at)
	if err != nil || r.want(object, layout.TypeCode) != nil {
		return nil
	}
	c, err := r.readCode(object)
	if err != nil || c.Start != at+uint64(r.l.At(layout.InstructionStreamBody)) || pc < c.Start || pc > c.End {
		return nil
	}
	return c
}

// hasStreams reports whether instructions are in objects of their own. Until V8 10 they are in the Code.
func (r *Reader) hasStreams() bool {
	return r.l.Values[layout.InstructionStreamCode].State != layout.Absent
}

// codeOf is the Code whose instructions are in the object at an address.
func (r *Reader) codeOf(stream uint64) (Word, error) {
	if !r.hasStreams() {
		return Word(stream + 1), nil
	}
	return r.WordAt(stream + uint64(r.l.At(layout.InstructionStreamCode)))
}

// Code reads a Code object.
func (r *Reader) Code(w Word) (*Code, error) {
	if err := r.codeLimits(); err != nil {
		return nil, err
	}
	if err := r.want(w, layout.TypeCode); err != nil {
		return nil, err
	}
	return r.readCode(w)
}

func (r *Reader) readCode(w Word) (*Code, error) {
	c := &Code{object: w}
	if _, err := r.read(c.head[:], w.address()); err != nil {
		return nil, err
	}
	return c, r.decodeCode(c)
}

// decodeCode decodes the head of a Code object.
func (r *Reader) decodeCode(c *Code) error {
	w := c.object
	c.Start = w.address() + uint64(r.l.At(layout.InstructionStreamBody))
	if r.hasStreams() {
		c.Start = uint64(c.word(r.l.At(layout.CodeInstructionStart)))
	}
	size := c.u32(r.l.At(layout.CodeInstructionSize))
	if size == 0 || size > maxCode {
		return fmt.Errorf("code 0x%x: %d bytes of instructions", uint64(w), size)
	}
	c.End = c.Start + uint64(size)
	c.Kind = int(c.u32(r.l.At(layout.CodeFlags))) & r.l.At(layout.CodeFlagsKindMask)
	return nil
}

func (c *Code) word(at int) Word  { return Word(binary.LittleEndian.Uint64(c.head[at:])) }
func (c *Code) u32(at int) uint32 { return binary.LittleEndian.Uint32(c.head[at:]) }

// DeoptData is what code of an optimising compiler keeps for the deoptimiser: a fixed array.
func (r *Reader) DeoptData(c *Code) Word { return c.word(r.l.At(layout.CodeDeoptData)) }

// Instructions reads up to n bytes of machine code from the start.
func (r *Reader) Instructions(c *Code, n int) ([]byte, error) {
	return r.Bytes(c.Start, min(n, int(c.End-c.Start)))
}

// codeLimits checks what is used as offsets of code: in V8s in which Code and InstructionStream are two objects, those
// that lead from one to the other too.
func (r *Reader) codeLimits() error {
	if r.hasStreams() {
		err := cmp.Or(r.l.Within(0, codeHead-8, layout.CodeInstructionStart),
			r.l.Within(0, 4096, layout.InstructionStreamCode))
		if err != nil {
			return err
		}
	}
	return cmp.Or(r.l.Within(0, codeHead-8, layout.CodeDeoptData, layout.CodePositions),
		r.l.Within(0, codeHead-4, layout.CodeInstructionSize, layout.CodeFlags),
		r.l.Within(0, 4096, layout.InstructionStreamBody))
}
