package optimized

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/hotspan/hotspan/v8/layout"
)

// Limits of frame translations. V8 inlines some ten functions deep.
const (
	maxTranslation      = 16 << 20 // bytes of the translations of one piece of code
	maxTranslatedFrames = 256      // of one translation
	maxTranslationSteps = 1 << 20  // operations that are read for one piece of code
	maxBytecode         = 4 << 20  // bytes, of a function
)

// translated is a JavaScript frame that the deoptimiser would make.
type translated struct {
	literal int  // index in the code's literals of its SharedFunctionInfo, or of a builtin's JSFunction; -1 = unknown
	offset  int  // in its bytecode; -1 is the function's entry
	builtin bool // such as Array.prototype.map: it has no bytecode
}

// translations are the programs by which the deoptimiser turns one optimised frame into those of the functions that are
// inlined in it: operations of one byte and some numbers each. (src/deoptimizer/frame-translation-builder.cc)
type translations struct {
	b        []byte
	operands []byte // their numbers, by opcode; the last opcode is that of repetition
	jsFrames int    // the first opcodes are of JavaScript frames, the first two of them of interpreted ones
	begin    int    // opcode that begins a translation; the next one does too
	value    int    // opcode of a value that is a literal; the one before it is of a value that is lost
	steps    int    // left of maxTranslationSteps
}

var errTranslation = errors.New("translation is cut off or has an operation that does not belong there")

func newTranslations(b []byte, l *layout.Layout) (*translations, error) {
	t := &translations{
		b: b, operands: l.TranslationOperands, steps: maxTranslationSteps,
		jsFrames: l.At(layout.TranslationJSFrames), begin: l.At(layout.TranslationBegin),
		value: l.At(layout.TranslationLiteral),
	}
	n := len(t.operands)
	if t.jsFrames < 3 || t.begin < t.jsFrames || t.value < t.begin || t.value-t.begin < 2 || t.value >= n-1 || n > 255 {
		return nil, fmt.Errorf("translation opcodes of this V8 are not known: %d, %d, %d of %d", t.jsFrames, t.begin,
			t.value, n)
	}
	return t, t.check()
}

// check tells a V8 that has other opcodes than the layout says.
func (t *translations) check() error {
	for _, c := range []struct {
		op          int
		least, most byte
	}{{0, 2, 255}, {1, 2, 255}, {2, 2, 255}, {t.jsFrames - 1, 2, 255}, {t.begin, 3, 3}, {t.begin + 1, 3, 3},
		{t.value - 1, 0, 0},
		{t.value, 1, 1}, {len(t.operands) - 1, 1, 1}} {
		if n := t.operands[c.op]; n < c.least || n > c.most {
			return fmt.Errorf("translation opcode %d of this V8 has %d operands, not %d to %d", c.op, n, c.least,
				c.most)
		}
	}
	return nil
}

// read gives the JavaScript frames of the translation that begins at an index, outermost first.
func (t *translations) read(at int) ([]translated, error) {
	c := &cursor{translations: t, at: at, earlier: -1}
	left, err := c.head()
	var out []translated
	for err == nil && left > 0 {
		var op int
		if op, err = c.next(); err != nil {
			break
		}
		if op >= t.jsFrames {
			err = c.skip(op)
			continue
		}
		var f translated
		f, err = c.frame(op)
		out = append(out, f)
		left--
	}
	if err != nil {
		return nil, fmt.Errorf("%w: the one at %d, after %d frames", err, at, len(out))
	}
	return out, nil
}

// cursor walks the operations of a translation. One may stand for a number of operations of an earlier translation: the
// builder writes what is the same as there only once. (src/objects/deoptimization-data.cc, DeoptTranslationIterator)
type cursor struct {
	*translations
	at      int // of the next operation
	earlier int // of the next operation of the earlier translation; -1 = there is none
	lag     int // operations that earlier has to go on by before it is where at is
	same    int // operations to take from there, with the current one
}

// head reads the operation that begins a translation: the distance of the earlier one, the number of frames, and of
// JavaScript frames among them.
func (c *cursor) head() (frames int, err error) {
	at := c.at
	op, err := c.next()
	if err != nil {
		return 0, err
	}
	back, ok1 := c.number()
	_, ok2 := c.number()
	frames, ok3 := c.signed()
	if op != c.begin && op != c.begin+1 || !ok1 || !ok2 || !ok3 || frames < 0 || frames > maxTranslatedFrames ||
		back > uint64(at) {
		return 0, errTranslation
	}
	if back > 0 {
		c.earlier = at - int(back)
	}
	return frames, nil
}

// next goes to the next operation and gives its opcode.
func (c *cursor) next() (int, error) {
	if c.same > 0 {
		c.same--
	}
	if c.same > 0 {
		return c.opcode()
	}
	op, err := c.opcode()
	repeat := len(c.operands) - 1
	if err != nil || op < repeat {
		c.lag++
		return op, err
	}
	if op > repeat { // no opcode: the short form, which is opcode and operand in one
		c.same = op - len(c.operands)
	} else if n, ok := c.number(); ok && n <= maxTranslationSteps {
		c.same = int(n)
	}
	if c.same == 0 || c.earlier < 0 {
		return 0, errTranslation
	}
	return c.catchUp()
}

// catchUp brings the place in the earlier translation to the operation that is next here.
func (c *cursor) catchUp() (int, error) {
	for ; c.lag > 0; c.lag-- {
		op, err := c.opcode()
		if err != nil {
			return 0, err
		}
		if err := c.skip(op); err != nil {
			return 0, err
		}
	}
	return c.opcode()
}

// place is where bytes are read now.
func (c *cursor) place() *int {
	if c.same > 0 {
		return &c.earlier
	}
	return &c.at
}

// opcode reads an opcode; the earlier translation refers to no other.
func (c *cursor) opcode() (int, error) {
	at := c.place()
	if c.steps--; c.steps < 0 || *at < 0 || *at >= len(c.b) {
		return 0, errTranslation
	}
	op := int(c.b[*at])
	*at++
	if c.same > 0 && op >= len(c.operands)-1 {
		return 0, errTranslation
	}
	return op, nil
}

// number reads an operand.
func (c *cursor) number() (uint64, bool) {
	at := c.place()
	n, size := binary.Uvarint(c.b[*at:])
	*at += max(size, 0)
	return n, size > 0
}

// signed reads an operand with its sign in bit 0. (src/base/vlq.h)
func (c *cursor) signed() (int, bool) {
	n, ok := c.number()
	if n > 1<<32 {
		return 0, false
	}
	if n&1 != 0 {
		return -int(n >> 1), ok
	}
	return int(n >> 1), ok
}

// frame reads the operation of a JavaScript frame: the place in the bytecode, the literal, and what else it has. A
// builtin's has a number of its own in place of the first and another function's literal; but the first value of a
// frame is the function. (src/execution/frames.cc, OptimizedJSFrame::Summarize)
func (c *cursor) frame(op int) (translated, error) {
	offset, ok1 := c.signed()
	literal, ok2 := c.signed()
	if !ok1 || !ok2 || literal < 0 || offset < -1 || offset > maxBytecode {
		return translated{}, errTranslation
	}
	err := c.numbers(int(c.operands[op]) - 2)
	if err != nil || op < 2 {
		return translated{literal: literal, offset: offset}, err
	}
	f := translated{literal: -1, offset: -1, builtin: true}
	if op, err = c.next(); err != nil || op != c.value {
		if err == nil {
			err = c.skip(op)
		}
		return f, err
	}
	if f.literal, ok1 = c.signed(); !ok1 || f.literal < 0 {
		return f, errTranslation
	}
	return f, nil
}

func (c *cursor) skip(op int) error { return c.numbers(int(c.operands[op])) }

func (c *cursor) numbers(n int) error {
	for range n {
		if _, ok := c.number(); !ok {
			return errTranslation
		}
	}
	return nil
}
