package space

import (
	"github.com/hotspan/hotspan/v8/heap"
)

// Object is an object of a heap. It is valid until the next one.
type Object struct {
	*Class
	Word heap.Word // address, with V8's tag
	Size uint64    // in bytes

	body []byte // as far as it was read
}

// Tally says what became of the bytes of all pages.
type Tally struct {
	Objects uint64
	Free    uint64 // between objects, and on pages that have none
	NotRead uint64 // it is not known what is there
	Changed uint64 // pages that the process used for something else meanwhile
}

// All is the sum.
func (w *Tally) All() uint64 { return w.Objects + w.Free + w.NotRead + w.Changed }

// Walk calls f for each object, by address, until it returns false; and now and then progress with how far it is,
// unless that is nil.
func (h *Heap) Walk(f func(o *Object) bool, progress func(w *Tally)) (out Tally) {
	c := h.newClasses()
	buffer := make([]byte, pageSize)
	for i := range h.pages {
		p := &h.pages[i]
		if progress != nil {
			progress(&out)
		}
		if p.unused {
			out.Free += p.end - p.start
			continue
		}
		c.forget()
		w := pageWalk{classes: c, page: p, empty: c.empty(p), f: f, out: &out, size: p.end - p.start}
		got, _ := c.mem.ReadAt(buffer[:min(w.size, pageSize)], int64(p.start))
		w.b = buffer[:max(got, 0)&^(word-1)]
		c.forget()
		if c.live && !c.same(p) {
			out.Changed += w.size
			continue
		}
		if !w.run() {
			break
		}
	}
	return out
}

// pageWalk is the walk of one page.
type pageWalk struct {
	*classes
	*page
	b     []byte            // from its start; of a large object the first bytes
	empty map[uint64]uint64 // areas: where they end by where they begin
	size  uint64            // of the page from its start, in bytes
	f     func(o *Object) bool
	out   *Tally
	o     Object
}

// run walks the page. ok is false if f has enough.
func (w *pageWalk) run() (ok bool) {
	at, read := uint64(0), uint64(len(w.b))
	if w.large() || w.alone() {
		return w.one()
	}
	for at < read {
		if limit, ok := w.empty[w.start+at]; ok {
			w.out.Free += limit - w.start - at
			at = limit - w.start
			continue
		}
		class, size, moved := w.object(at)
		switch {
		case class == nil || size == 0 || size%word != 0 || size > w.size-at:
			next := w.next(at)
			w.out.NotRead += next - at
			at = next
			continue
		case class.free || moved:
			w.out.Free += size
		case !w.call(class, at, size):
			return false
		}
		at += size
	}
	w.out.NotRead += w.size - min(at, w.size)
	return true
}

// maxRegular is the most bytes of an object that has not pages of its own. (src/heap/memory-chunk-layout.h)
const maxRegular = 1 << 17

// first is the first object of a page.
func (w *pageWalk) first() (class *Class, size uint64, moved bool) {
	if len(w.b) < measured {
		return nil, 0, false
	}
	return w.object(0)
}

// alone reports whether a page that is not larger than others has one object, by the size of that.
func (w *pageWalk) alone() bool {
	if _, ok := w.empty[w.start]; ok {
		return false
	}
	class, size, _ := w.first()
	return class != nil && !class.free && size > maxRegular
}

// one is run for a page of one large object. What is behind the object is free.
func (w *pageWalk) one() bool {
	class, size, moved := w.first()
	switch {
	case class == nil || size == 0 || size > w.size:
		w.out.NotRead += w.size
		return true
	case class.free || moved:
		w.out.Free += w.size
		return true
	}
	w.out.Free += w.size - size
	return w.call(class, 0, size)
}

func (w *pageWalk) call(class *Class, at, size uint64) bool {
	w.out.Objects += size
	w.o = Object{class, heap.Word(w.start + at + 1), size, w.b[at:min(at+size, uint64(len(w.b)))]}
	return w.f(&w.o)
}

// object is the hidden class of the object at an offset, and its size. moved says that a collection that was under way
// had moved it: then the word of its hidden class is its new address, without a tag. (src/objects/objects.h, MapWord)
func (w *pageWalk) object(at uint64) (class *Class, size uint64, moved bool) {
	head := heap.Word(le(w.b[at:]))
	if head%word == 0 && head != 0 && w.pageOf(uint64(head)) != nil {
		now, err := w.r.WordAt(uint64(head))
		if err != nil {
			return nil, 0, false
		}
		head, moved = now, true
	}
	if class = w.find(head); class == nil {
		return nil, 0, false
	}
	return class, w.sizeOf(class, at), moved
}

// leastNative is less than the bytes of a native context, the context around all others. V8 gives it no name. Behind
// its slots is a word that is no object: so it shows by what is behind that. (src/objects/contexts.h, microtask_queue)
const leastNative = 128 * word

func (w *pageWalk) sizeOf(class *Class, at uint64) uint64 {
	if class.size > 0 {
		return class.size
	}
	if class.measure == nil { // no field of such an object is a hidden class
		return w.next(at) - at
	}
	var head [measured]byte
	copy(head[:], w.b[at:])
	size := class.measure(head[:])
	if class.Name == unnamedArray && size > leastNative && !w.begins(at+size) && w.begins(at+size+word) {
		class.Name, class.measure = "NativeContext", counted(24, word)
		return size + word
	}
	if !class.free || w.l.V8.Major < 13 {
		return size
	}
	if w.unit == 0 {
		w.unit = w.findUnit(at, size)
	}
	return size * max(w.unit, 1)
}

// findUnit finds what V8 counts free room in: bytes or, since some release of V8 13.6, words. Where the one is taken
// for the other, what follows is no object. 0: it cannot be told here. (src/objects/free-space.h)
func (w *pageWalk) findUnit(at, size uint64) uint64 {
	inBytes, inWords := size%word == 0 && w.begins(at+size), w.begins(at+size*word)
	switch {
	case size == 0 || inBytes == inWords:
		return 0
	case inBytes:
		return 1
	}
	return word
}

// begins reports whether an object, or an area, begins at an offset, or nothing more.
func (w *pageWalk) begins(at uint64) bool {
	if at+word > uint64(len(w.b)) {
		return at == w.size
	}
	_, area := w.empty[w.start+at]
	return area || w.find(heap.Word(le(w.b[at:]))) != nil
}

// next is the offset of the next word behind the one at an offset that is a hidden class, or of the next area.
func (w *pageWalk) next(at uint64) uint64 {
	for at += word; at < uint64(len(w.b)); at += word {
		if _, ok := w.empty[w.start+at]; ok || w.find(heap.Word(le(w.b[at:]))) != nil {
			break
		}
	}
	return at
}

// Words calls f for each word of an object that may refer to another, with its offset in bytes, until f returns false.
func (h *Heap) Words(o *Object, f func(offset uint64, w heap.Word) bool) {
	until := min(o.Size, o.tagged)
	b, from := o.body, uint64(0)
	for from < until {
		for i := 0; i+word <= len(b) && from+uint64(i) < until; i += word {
			if !f(from+uint64(i), heap.Word(le(b[i:]))) {
				return
			}
		}
		if from += uint64(len(b)); from >= until || len(b) == 0 {
			return
		}
		b = h.r.UpTo(uint64(o.Word)-1+from, int(min(pageSize, until-from)))
	}
}
