package inspect

import (
	"cmp"
	"slices"

	"github.com/hotspan/hotspan/v8/heap"
	"github.com/hotspan/hotspan/v8/layout"
	"github.com/hotspan/hotspan/v8/space"
)

// Census is the heap of a process by what its objects are.
type Census struct {
	Kinds []Kind // the largest first
	Walk
}

// Kind is objects that are counted together: those that one function made, or those of one hidden class.
type Kind struct {
	Name        string   // of the function that made them; what is V8's own is in parentheses
	HiddenClass uint64   // address, with V8's tag; 0: it is not told
	Properties  []string // that the hidden class has, where that is told
	Count       uint64
	Bytes       uint64 // that the objects take themselves
}

// Walk says how far a heap was read.
type Walk struct {
	space.Tally
	Collecting bool // a collection was under way: what it was about to free is counted
	Cut        bool // there is more than is looked at
}

// add adds a walk of another isolate.
func (w *Walk) add(of *Walk) {
	w.Objects, w.Free = w.Objects+of.Objects, w.Free+of.Free
	w.NotRead, w.Changed = w.NotRead+of.NotRead, w.Changed+of.Changed
	w.Collecting, w.Cut = w.Collecting || of.Collecting, w.Cut || of.Cut
}

// Progress is called now and then while a heap is read, with how many of its bytes have been.
type Progress func(read, all uint64)

// walk walks the heap.
func (s *Subject) walk(h *space.Heap, progress Progress, f func(o *space.Object) bool) Walk {
	all := h.Bytes()
	w := h.Walk(f, func(w *space.Tally) {
		if progress != nil {
			progress(w.All(), all)
		}
	})
	return Walk{w, h.Collecting(), h.Cut}
}

// Objects counts the objects of the heap by the function that made them, or with shapes by their hidden class.
func (s *Subject) Objects(shapes bool, progress Progress) (out Census) {
	k := s.newKinds()
	counted := map[heap.Word]*Kind{}
	others := map[string]*Kind{}
	var last *Kind
	out.Walk = s.walk(s.heap(), progress, func(o *space.Object) bool {
		if last == nil || last.HiddenClass != uint64(o.Address) {
			last = k.kindIn(counted, others, o)
		}
		last.Count++
		last.Bytes += o.Size
		return true
	})
	for _, kind := range counted {
		out.Kinds = append(out.Kinds, *kind)
	}
	for _, kind := range others {
		out.Kinds = append(out.Kinds, *kind)
	}
	if !shapes {
		out.Kinds = together(out.Kinds)
	}
	slices.SortStableFunc(out.Kinds, func(a, b Kind) int {
		return cmp.Or(cmp.Compare(b.Bytes, a.Bytes), cmp.Compare(b.Count, a.Count), cmp.Compare(a.Name, b.Name),
			cmp.Compare(a.HiddenClass, b.HiddenClass))
	})
	return out
}

// kindIn is where an object is counted: by its hidden class, or if there are too many of these by its name.
func (k *kinds) kindIn(counted map[heap.Word]*Kind, others map[string]*Kind, o *space.Object) *Kind {
	if kind := counted[o.Address]; kind != nil {
		return kind
	}
	name := k.of(o)
	kind := &Kind{Name: name, HiddenClass: uint64(o.Address)}
	if len(counted) < maxShapes {
		counted[o.Address] = kind
		return kind
	}
	if len(others) >= maxShapes {
		name = "(other)"
	}
	if others[name] == nil {
		others[name] = &Kind{Name: name}
	}
	return others[name]
}

// together adds up kinds of the same name.
func together(kinds []Kind) (out []Kind) {
	index := map[string]int{}
	for _, k := range kinds {
		i, ok := index[k.Name]
		if !ok {
			i = len(out)
			index[k.Name] = i
			out = append(out, Kind{Name: k.Name})
		}
		out[i].Count += k.Count
		out[i].Bytes += k.Bytes
	}
	return out
}

// Shape adds the names of the properties that a kind's hidden class gives its objects.
func (s *Subject) Shape(kind *Kind) {
	shape, err := s.process.Heap().Shape(heap.Word(kind.HiddenClass))
	if err != nil || shape.Type < s.process.Layout.At(layout.FirstJSObjectType) {
		return
	}
	for _, p := range shape.Properties {
		kind.Properties = append(kind.Properties, p.Name)
	}
}

// Instances are the objects of one kind.
type Instances struct {
	Kind
	Addresses []uint64 // of the first ones, with V8's tag
	Walk
}

// Instances finds the objects of a kind, by its name: the addresses of at most so many.
func (s *Subject) Instances(name string, most int, progress Progress) (out Instances) {
	k := s.newKinds()
	out.Name = name
	out.Walk = s.walk(s.heap(), progress, func(o *space.Object) bool {
		if k.of(o) == name {
			out.Count++
			out.Bytes += o.Size
			if len(out.Addresses) < most {
				out.Addresses = append(out.Addresses, uint64(o.Word))
			}
		}
		return true
	})
	return out
}
