package optimized

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/hotspan/hotspan/v8/heap"
	"github.com/hotspan/hotspan/v8/layout"
)

// Limits of what is read of one piece of code.
const (
	maxDeoptWords     = 1 << 18
	maxDeoptFunctions = 1 << 12 // literals that are said to be functions
	stepsOfWork       = 256     // of translations, which take as long as 1 of heap.Reader.Work
)

// checkLimits checks what is used as indices and offsets.
func checkLimits(l *layout.Layout) error {
	return cmp.Or(
		l.Within(0, 64, layout.DeoptTranslation, layout.DeoptEntries), l.Within(1, 16, layout.DeoptEntrySize),
		l.Within(0, 15, layout.DeoptEntryTranslation),
		l.Within(0, 56, layout.SafepointLength), l.Within(8, 64, layout.SafepointHeader))
}

// Frame is a frame that the deoptimiser would make of a point in optimised code: a function, and where it
// continues.
type Frame struct {
	Function heap.Word // SharedFunctionInfo
	Offset   int       // in its bytecode, of the call or of where it continues; -1 is the function's entry
}

// site is where calls return to in code of Maglev.
type site struct {
	pc     int     // offset
	frames []Frame // innermost first
}

// sites reads the frames at each call of Maglev's code from its deoptimisation data. V8's own Error.stack goes by that
// data, and it is exact where the position table is not. (src/execution/frames.cc, OptimizedJSFrame::Summarize) Entries
// that contradict themselves are left out.
func sites(r *heap.Reader, c *heap.Code, data, own heap.Word) ([]site, error) {
	if err := checkLimits(r.Layout()); err != nil {
		return nil, err
	}
	points, err := safepoints(r, c, false)
	if err != nil {
		return nil, err
	}
	d, err := newDeopts(r, data, own)
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
func exits(r *heap.Reader, data, own heap.Word) [][]Frame {
	if checkLimits(r.Layout()) != nil {
		return nil
	}
	d, err := newDeopts(r, data, own)
	if err != nil {
		return nil
	}
	n := (len(d.words)/8 - r.Layout().At(layout.DeoptEntries)) / r.Layout().At(layout.DeoptEntrySize)
	out := make([][]Frame, max(n, 0))
	for i := range out {
		out[i] = d.framesOf(i)
	}
	return out
}

// deopts is the deoptimisation data of a piece of code.
type deopts struct {
	r        *heap.Reader
	words    []byte    // the data itself
	own      heap.Word // SharedFunctionInfo of the code
	literals heap.Word
	known    map[int]heap.Word // literals that were looked at; 0 = it is no function
	*translations
}

func newDeopts(r *heap.Reader, data, own heap.Word) (*deopts, error) {
	n, err := r.StoreLength(data)
	if err != nil || n > maxDeoptWords {
		return nil, fmt.Errorf("deoptimisation data 0x%x: length %d: %v", uint64(data), n, err)
	}
	d := &deopts{r: r, own: own, known: map[int]heap.Word{}}
	if d.words, err = r.Bytes(uint64(data)-1+uint64(r.Layout().At(layout.FixedArrayData)), 8*n); err != nil {
		return nil, err
	}
	if d.literals, err = element(r, data, r.Layout().At(layout.DeoptLiterals)); err != nil {
		return nil, err
	}
	array, err := element(r, data, r.Layout().At(layout.DeoptTranslation))
	if err != nil {
		return nil, err
	}
	b, err := r.ByteArray(array, maxTranslation)
	if err != nil {
		return nil, err
	}
	d.translations, err = newTranslations(b, r.Layout())
	return d, err
}

// framesOf gives the frames of a deoptimisation point, innermost first. Nil if there is none or if it contradicts
// itself: the outermost function must be the one that the code was made for.
func (d *deopts) framesOf(point int) []Frame {
	l := d.r.Layout()
	at := 8 * (l.At(layout.DeoptEntries) + point*l.At(layout.DeoptEntrySize) + l.At(layout.DeoptEntryTranslation))
	if point < 0 || at+8 > len(d.words) {
		return nil
	}
	begin := heap.Word(binary.LittleEndian.Uint64(d.words[at:]))
	if !begin.IsSmi() {
		return nil
	}
	left := d.steps
	frames, err := d.read(begin.Smi())
	d.r.AddWork(1 + (left-d.steps)/stepsOfWork)
	if err != nil || len(frames) == 0 || frames[0].builtin || d.function(frames[0].literal) != d.own {
		return nil
	}
	out := make([]Frame, 0, len(frames))
	for _, f := range slices.Backward(frames) {
		switch w := d.function(f.literal); {
		case w != 0:
			out = append(out, Frame{w, f.offset})
		case !f.builtin:
			return nil
		}
	}
	return out
}

// function is the SharedFunctionInfo that a literal is, or that of a JSFunction; 0 if it is something else or was
// collected.
func (d *deopts) function(i int) heap.Word {
	w, ok := d.known[i]
	if !ok && len(d.known) < maxDeoptFunctions {
		var err error
		if w, err = callee(d.r, d.literals, i); err != nil {
			w = 0
		}
		d.known[i] = w
	}
	return w
}

func callee(r *heap.Reader, literals heap.Word, i int) (heap.Word, error) {
	w, err := element(r, literals, i)
	if err != nil {
		return 0, err
	}
	typ, err := r.Type(w)
	if err != nil {
		return 0, err
	}
	if typ < r.Layout().At(layout.TypeJSFunctionFirst) || typ > r.Layout().At(layout.TypeJSFunctionLast) {
		w, err = unwrap(r, w)
	} else {
		w, err = r.Shared(w)
	}
	if err != nil {
		return 0, err
	}
	if typ, err = r.Type(w); err == nil && typ != r.Layout().At(layout.TypeSharedFunctionInfo) {
		err = &heap.TypeError{Object: w, Got: typ, Want: "SharedFunctionInfo"}
	}
	return w, err
}
