package heap

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/hotspan/hotspan/v8/layout"
)

// Limits of what is read of one piece of code.
const (
	maxDeoptWords     = 1 << 18
	maxDeoptFunctions = 1 << 12 // literals that are said to be functions
)

// deoptLimits checks what is used as indices and offsets.
func (r *Reader) deoptLimits() error {
	return cmp.Or(
		r.l.Within(0, 64, layout.DeoptTranslation, layout.DeoptEntries), r.l.Within(1, 16, layout.DeoptEntrySize),
		r.l.Within(0, 15, layout.DeoptEntryTranslation),
		r.l.Within(0, 56, layout.SafepointLength), r.l.Within(8, 64, layout.SafepointHeader))
}

// DeoptFrame is a frame that the deoptimiser would make of a point in optimised code: a function, and where it
// continues.
type DeoptFrame struct {
	Function Word // SharedFunctionInfo
	Offset   int  // in its bytecode, of the call or of where it continues; -1 is the function's entry
}

// site is where calls return to in code of Maglev.
type site struct {
	pc     int          // offset
	frames []DeoptFrame // innermost first
}

// sites reads the frames at each call of Maglev's code from its deoptimisation data. V8's own Error.stack goes by that
// data, and it is exact where the position table is not. (src/execution/frames.cc, OptimizedJSFrame::Summarize) Entries
// that contradict themselves are left out.
func (r *Reader) sites(c *Code, data, own Word) ([]site, error) {
	if err := r.deoptLimits(); err != nil {
		return nil, err
	}
	points, err := r.safepoints(c, false)
	if err != nil {
		return nil, err
	}
	d, err := r.deopts(data, own)
	if err != nil {
		return nil, err
	}
	var out []site
	for _, p := range points {
		frames := d.framesOf(p.deopt)
		if frames == nil {
			continue
		}
		out = append(out, site{p.pc, frames})
		if p.trampoline >= 0 {
			out = append(out, site{p.trampoline, frames})
		}
	}
	slices.SortStableFunc(out, func(a, b site) int { return a.pc - b.pc })
	return out, nil
}

// exits reads the frames at all deoptimisation points. Nil where one is not known.
func (r *Reader) exits(data, own Word) [][]DeoptFrame {
	if r.deoptLimits() != nil {
		return nil
	}
	d, err := r.deopts(data, own)
	if err != nil {
		return nil
	}
	n := (len(d.words)/8 - r.l.At(layout.DeoptEntries)) / r.l.At(layout.DeoptEntrySize)
	out := make([][]DeoptFrame, max(n, 0))
	for i := range out {
		out[i] = d.framesOf(i)
	}
	return out
}

// deopts is the deoptimisation data of a piece of code.
type deopts struct {
	r        *Reader
	words    []byte // the data itself
	own      Word   // SharedFunctionInfo of the code
	literals Word
	known    map[int]Word // literals that were looked at; 0 = it is no function
	*translations
}

func (r *Reader) deopts(data, own Word) (*deopts, error) {
	n, err := r.field(data, layout.FixedArrayLength)
	if err != nil || !n.IsSmi() || n.Smi() < 0 || n.Smi() > maxDeoptWords {
		return nil, fmt.Errorf("deoptimisation data 0x%x: length 0x%x", uint64(data), uint64(n))
	}
	d := &deopts{r: r, own: own, known: map[int]Word{}}
	if d.words, err = r.Bytes(data.address()+uint64(r.l.At(layout.FixedArrayData)), 8*n.Smi()); err != nil {
		return nil, err
	}
	if d.literals, err = r.element(data, r.l.At(layout.DeoptLiterals)); err != nil {
		return nil, err
	}
	array, err := r.element(data, r.l.At(layout.DeoptTranslation))
	if err != nil {
		return nil, err
	}
	b, err := r.byteArray(array, maxTranslation)
	if err != nil {
		return nil, err
	}
	d.translations, err = newTranslations(b, r.l)
	return d, err
}

// framesOf gives the frames of a deoptimisation point, innermost first. Nil if there is none or if it contradicts
// itself: the outermost function must be the one that the code was made for.
func (d *deopts) framesOf(point int) []DeoptFrame {
	l := d.r.l
	at := 8 * (l.At(layout.DeoptEntries) + point*l.At(layout.DeoptEntrySize) + l.At(layout.DeoptEntryTranslation))
	if point < 0 || at+8 > len(d.words) {
		return nil
	}
	begin := Word(binary.LittleEndian.Uint64(d.words[at:]))
	if !begin.IsSmi() {
		return nil
	}
	left := d.steps
	frames, err := d.read(begin.Smi())
	d.r.work += 1 + (left-d.steps)/stepsOfWork
	if err != nil || len(frames) == 0 || frames[0].builtin || d.function(frames[0].literal) != d.own {
		return nil
	}
	out := make([]DeoptFrame, 0, len(frames))
	for _, f := range slices.Backward(frames) {
		switch w := d.function(f.literal); {
		case w != 0:
			out = append(out, DeoptFrame{w, f.offset})
		case !f.builtin:
			return nil
		}
	}
	return out
}

// function is the SharedFunctionInfo that a literal is, or that of a JSFunction; 0 if it is something else or was
// collected.
func (d *deopts) function(i int) Word {
	w, ok := d.known[i]
	if !ok && len(d.known) < maxDeoptFunctions {
		var err error
		if w, err = d.r.callee(d.literals, i); err != nil {
			w = 0
		}
		d.known[i] = w
	}
	return w
}

func (r *Reader) callee(literals Word, i int) (Word, error) {
	w, err := r.element(literals, i)
	if err != nil {
		return 0, err
	}
	typ, err := r.Type(w)
	if err != nil {
		return 0, err
	}
	if typ < r.l.At(layout.TypeJSFunctionFirst) || typ > r.l.At(layout.TypeJSFunctionLast) {
		w, err = r.unwrap(w)
	} else {
		w, err = r.Shared(w)
	}
	if err != nil {
		return 0, err
	}
	return w, r.want(w, layout.TypeSharedFunctionInfo)
}
