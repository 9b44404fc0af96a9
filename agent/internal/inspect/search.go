package inspect

import (
	"github.com/hotspan/hotspan/v8/heap"
	"github.com/hotspan/hotspan/v8/space"
)

// Limits of a search.
const (
	maxPasses  = 64      // through the heap
	maxHolding = 1 << 20 // objects that lead to the one that is looked for
)

// found is an object that leads to the one that is looked for.
type found struct {
	to     heap.Word // which it holds
	offset uint64    // where in it, in bytes
	class  *space.Class
	size   uint64
	pass   int
}

// search is the search for a path, from the object backwards.
type search struct {
	*Subject
	*kinds
	heap  *space.Heap
	found map[heap.Word]found
	last  int       // pass
	least heap.Word // of the objects of that pass
	most  heap.Word
}

// passes goes through the heap until there is a root, or nothing more is found.
func (f *search) passes(walk *Walk, progress Progress) (root heap.Word) {
	for f.last < maxPasses && len(f.found) < maxHolding {
		f.last++
		before := len(f.found)
		if root = f.pass(walk, progress); root != 0 || len(f.found) == before {
			return root
		}
	}
	walk.Cut = true
	return 0
}

// pass finds what holds the objects of the pass before, until one is a root.
func (f *search) pass(walk *Walk, progress Progress) (root heap.Word) {
	least, most := f.least, f.most
	f.least, f.most = ^heap.Word(0), 0
	*walk = f.walk(f.heap, progress, func(o *space.Object) bool {
		if known, ok := f.found[o.Word]; ok {
			if known.class == nil { // the object itself
				known.class, known.size = o.Class, o.Size
				f.found[o.Word] = known
				if isRoot(o) {
					root = o.Word
				}
			}
			return f.last == 1 || root == 0
		}
		if holdsWeakly[o.Name] {
			return true
		}
		f.heap.Words(o, func(offset uint64, w heap.Word) bool {
			if w < least || w > most || offset == 0 || f.weakly(o, offset) {
				return true
			}
			if to, ok := f.found[w]; !ok || to.pass != f.last-1 {
				return true
			}
			if len(f.found) >= maxHolding {
				return false
			}
			f.found[o.Word] = found{w, offset, o.Class, o.Size, f.last}
			f.least, f.most = min(f.least, o.Word), max(f.most, o.Word)
			if isRoot(o) {
				root = o.Word
			}
			return false
		})
		// The object itself is seen in the first pass.
		return f.last == 1 || root == 0 && len(f.found) < maxHolding
	})
	return root
}

// isRoot reports whether V8 holds an object for as long as scripts can run in its context.
func isRoot(o *space.Object) bool { return o.Name == "NativeContext" || o.Name == "JSGlobalObject" }

// holdsWeakly are the classes of objects that do not keep alive what they refer to, or not all of it, but for those
// that weakly knows.
var holdsWeakly = map[string]bool{
	"JSWeakMap": true, "JSWeakSet": true, "EphemeronHashTable": true,
	"TransitionArray": true, "DependentCode": true, "CompilationCacheTable": true, "Code": true,
	"InstructionStream": true, "AllocationSite": true,
}

// steps are the objects from one to that which was looked for.
func (f *search) steps(from heap.Word) (out []Holder) {
	for w := from; w != 0; {
		at, o := f.found[w], f.object(w)
		h := Holder{Kind: f.of(o), Address: uint64(w)}
		if at.class.Name == "JSGlobalObject" {
			h.Kind = "global object"
		}
		if at.to != 0 {
			h.Where = f.where(o, at.offset, at.to)
			f.nameProperty(&h, at.to)
		}
		out = append(out, h)
		w = at.to
	}
	return out
}

func (f *search) object(w heap.Word) *space.Object {
	return &space.Object{Class: f.found[w].class, Word: w, Size: f.found[w].size}
}

// holds reports whether each object from one on still holds the next.
func (f *search) holds(from heap.Word) bool {
	f.Heap.Forget()
	for w := from; f.found[w].to != 0; w = f.found[w].to {
		now, err := f.Heap.WordAt(uint64(w) - 1 + f.found[w].offset)
		if err != nil || now != f.found[w].to {
			return false
		}
	}
	return true
}
