package heap

import (
	"encoding/binary"
	"errors"
	"slices"

	"golang.org/x/sys/unix"

	"github.com/hotspan/hotspan/v8/layout"
	"github.com/hotspan/hotspan/v8/target"
)

// Same reports whether the memory at c's place still holds the same code: code is collected and moved, and its place
// used again. Where nothing is mapped any more, as when its isolate or its process has ended, the place was not used
// again: a thread that was in the code would be in code that was there until then.
func (r *Reader) Same(c *Code) bool {
	same := false
	r.AllSame([]*Code{c}, nil, func(int) { same = true })
	if same {
		return true
	}
	same, err := r.compare(c)
	return same || unmapped(err)
}

// compare reads the place itself. Its error is only that of the place: what stands in it now may be instructions, and
// leads nowhere.
func (r *Reader) compare(c *Code) (bool, error) {
	object, err := r.codeOf(r.streamOf(c))
	if err != nil || object != c.object {
		return false, err
	}
	now, err := r.readCode(object)
	if err != nil || !r.equal(c, now) {
		return false, err
	}
	return r.hasStreams() || r.want(object, layout.TypeCode) == nil, nil
}

// AllSame calls f with the pieces of code of which Same is true. It reads them at once where the memory can do that;
// where it cannot, or of one that is gone, f may be called with fewer of them. more is read in the same call, behind
// them: it returns how many parts of that.
func (r *Reader) AllSame(all []*Code, more []target.Part, f func(i int)) int {
	mem, ok := r.mem.(target.PartsReader)
	if !ok {
		return 0
	}
	const word = 8
	buffer := slices.Grow(r.heads[:0], len(all)*(word+codeHead))[:len(all)*(word+codeHead)]
	parts, rest, each := r.parts[:0], buffer, 1
	if r.hasStreams() {
		each = 2
	}
	for _, c := range all {
		if r.hasStreams() {
			stream := r.streamOf(c) + uint64(r.l.At(layout.InstructionStreamCode))
			parts = append(parts, target.Part{At: stream, To: rest[:word]})
		}
		parts = append(parts, target.Part{At: c.object.address(), To: rest[word : word+codeHead]})
		rest = rest[word+codeHead:]
	}
	parts = append(parts, more...)
	r.heads, r.parts = buffer, parts
	n, _ := mem.ReadParts(parts)
	for i, c := range all[:min(n/each, len(all))] {
		b := buffer[i*(word+codeHead):]
		now := Code{object: c.object}
		if r.hasStreams() {
			now.object = Word(binary.LittleEndian.Uint64(b))
		}
		copy(now.head[:], b[word:])
		if now.object == c.object && now.word(0) == c.word(0) && r.decodeCode(&now) == nil && r.equal(c, &now) {
			f(i)
		}
	}
	return max(0, n-each*len(all))
}

// streamOf is where the InstructionStream of code begins.
func (r *Reader) streamOf(c *Code) uint64 {
	return c.Start - uint64(r.l.At(layout.InstructionStreamBody))
}

func (r *Reader) equal(c, now *Code) bool {
	for _, f := range []layout.Field{layout.CodePositions, layout.CodeDeoptData} {
		if now.word(r.l.At(f)) != c.word(r.l.At(f)) {
			return false
		}
	}
	return now.Start == c.Start && now.End == c.End
}

// unmapped reports whether memory could not be read because there is none, or no process any more.
func unmapped(err error) bool { return errors.Is(err, unix.EFAULT) || errors.Is(err, unix.ESRCH) }
