package functions

import (
	"encoding/binary"
	"time"

	"github.com/hotspan/hotspan/v8/layout"
	"github.com/hotspan/hotspan/v8/target"
)

// A sample is named some time after it was taken. Only a mark-compact moves what lives in V8's old space and frees what
// has died there, and code. V8 counts them, and a sample has the count:
//
//	mark-compacts:    n                            n+1              n+2
//	time:        ─────┼────────────────────────────┼────────────────┼─────▶
//	              sample taken, read: asSampled        read: living
//
// What is read before the next one begins is what the sample referred to. What is read after that may be something else
// in the same place. It counts if it has the identity that the sample says, and if it lives: an object that has died
// stays as it is until it is swept, but what it refers to may have been swept before. Of functions and scripts the
// lists of what lives tell; of machine code nothing does but a sample in it that was taken later (code.unsure).

// lateAfter is how long after a sample the place of code may be another's, in nanoseconds, where nothing else tells.
const lateAfter = int64(5 * time.Millisecond)

// counts reports whether a count is known, and not that of another isolate at the same address, which counts anew.
func (v *Resolver) counts(compacts uint64) bool { return compacts != 0 && len(v.times) > 0 }

// countCompacts counts the mark-compacts of the current isolate, and 1. 0 = not known, or one is under way.
func (v *Resolver) countCompacts() uint64 {
	parts := v.countParts([]*isolate{v.isolate})
	if len(parts) == 0 || v.r.AllSame(nil, parts, nil) == 0 {
		return 0
	}
	return compactsOf(parts[0])
}

// mayHaveMoved reports whether what the current sample refers to in V8's old space may be something else by now.
func (v *Resolver) mayHaveMoved() bool {
	n := v.moment.MarkCompacts
	if !v.counts(n) {
		return v.now()-v.moment.Taken > lateAfter
	}
	v.compacted = v.compacted || n != v.countCompacts()
	return v.compacted
}

// asSampled calls read, which reads objects of V8's old space, and reports whether they are what the current sample
// referred to. undo undoes what read has kept.
func (v *Resolver) asSampled(read func() bool, undo func()) bool {
	n := v.moment.MarkCompacts
	if n == 0 { // the sample was taken in one, and after it there may have been others; or they are not counted
		late := v.now()-v.moment.Taken > lateAfter
		v.compacted = v.compacted || late && len(v.countParts([]*isolate{v.isolate})) > 0
		return !v.compacted && v.consistent(read, undo)
	}
	if v.now()-v.moment.Taken > lateAfter { // perhaps there is nothing to read
		v.compacted = v.compacted || n != v.countCompacts()
	}
	if v.compacted || !read() {
		return false
	}
	if v.compacted = n != v.countCompacts(); v.compacted {
		undo()
	}
	return !v.compacted
}

// living is asSampled for objects that can be told to live: after a mark-compact, lives reports that of what was read.
func (v *Resolver) living(read, lives func() bool, undo func()) bool {
	return v.asSampled(read, undo) ||
		v.compacted && v.consistent(func() bool { return read() && lives() }, undo)
}

// consistent calls read until no mark-compact has begun meanwhile, and reports whether that was so in the end: then all
// was read as it is now.
func (v *Resolver) consistent(read func() bool, undo func()) bool {
	for range 3 {
		if v.rests() {
			return false
		}
		v.r.Forget()
		before := v.countCompacts()
		if !read() {
			return false
		}
		if v.countCompacts() == before {
			return true
		}
		undo()
	}
	return false
}

// maxHeapState is how far V8's count of mark-compacts may be behind the state of the heap, in bytes.
const maxHeapState = 64

// countParts are where isolates have the state of the heap, and behind it their counts of mark-compacts; none, if that
// is not known.
func (v *Resolver) countParts(of []*isolate) (parts []target.Part) {
	l := v.r.Layout()
	from := l.At(layout.IsolateHeap) + l.At(layout.HeapGCState)
	size := l.At(layout.HeapMSCount) + 4 - l.At(layout.HeapGCState)
	if !l.Has(layout.IsolateHeap) || !l.Has(layout.HeapGCState) || !l.Has(layout.HeapMSCount) || size < 8 ||
		size > maxHeapState {
		return nil
	}
	for _, i := range of {
		parts = append(parts, target.Part{At: i.key.address + uint64(from), To: make([]byte, size)})
	}
	return parts
}

func compactsOf(p target.Part) uint64 {
	if layout.GCState(binary.LittleEndian.Uint32(p.To)) == layout.MarkCompact {
		return 0
	}
	return 1 + uint64(binary.LittleEndian.Uint32(p.To[len(p.To)-4:]))
}
