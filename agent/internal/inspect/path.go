package inspect

import (
	"fmt"

	"github.com/hotspan/hotspan/v8/heap"
)

// Path is how an object is held: from what nothing else need hold to the object.
type Path struct {
	Root  Root
	Steps []Holder // each with where in it the next one is; the last is the object itself
	Walk
}

// Path finds a shortest way by which an object is held. What holds weakly does not count. Words in native memory are
// looked at only if no context of V8's leads to the object: they may be what is left of something.
func (s *Subject) Path(address uint64, progress Progress) (out Path, err error) {
	k := s.newKinds()
	object, _, err := k.Heap.Forwarded(tagged(address))
	if err == nil {
		_, err = k.Heap.Type(object)
	}
	if err != nil {
		return out, noObject(address, err)
	}
	f := &search{Subject: s, kinds: k, heap: s.heap(), found: map[heap.Word]found{object: {}}, least: object,
		most: object}
	root := f.passes(&out.Walk, progress)
	if f.found[object].class == nil {
		return out, fmt.Errorf("0x%x: %w", address, errNotInHeap)
	}
	out.Root.Kind = OfContext
	if root == 0 {
		root, out.Root = f.native(&out.Walk)
	}
	if root == 0 {
		root = object
	}
	if !f.holds(root) {
		return out, fmt.Errorf("0x%x: %w", address, ErrChanged)
	}
	out.Steps = f.steps(root)
	return out, nil
}
