package functions

import (
	"encoding/binary"
	"time"

	"github.com/hotspan/hotspan/v8/layout"
	"github.com/hotspan/hotspan/v8/target"
)

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
	v.outlived = v.outlived || n != v.countCompacts()
	return v.outlived
}

// undisturbed has read read objects of V8's old space, and reports whether they are what the current sample referred
// to. A mark-compact since then may have moved them, and put others where they were; and what has died in it refers to
// places that are used again, until it is swept itself. disturbed is to undo what read has kept.
func (v *Resolver) undisturbed(read func() bool, disturbed func()) bool {
	n := v.moment.MarkCompacts
	if n == 0 { // the sample was taken in one, and after it there may have been others; or they are not counted
		late := v.now()-v.moment.Taken > lateAfter
		v.outlived = v.outlived || late && len(v.countParts([]*isolate{v.isolate})) > 0
		return !v.outlived && v.coherent(read, disturbed)
	}
	if v.now()-v.moment.Taken > lateAfter { // perhaps there is nothing to read
		v.outlived = v.outlived || n != v.countCompacts()
	}
	if v.outlived || !read() {
		return false
	}
	if v.outlived = n != v.countCompacts(); v.outlived {
		disturbed()
	}
	return !v.outlived
}

// coherent has read read objects until no mark-compact has begun meanwhile, and reports whether that was so in the end:
// then all were read as they are now.
func (v *Resolver) coherent(read func() bool, disturbed func()) bool {
	for range 3 {
		v.r.Forget()
		before := v.countCompacts()
		if !read() {
			return false
		}
		if v.countCompacts() == before {
			return true
		}
		disturbed()
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
