package context

import (
	"slices"

	"github.com/hotspan/hotspan/v8/heap"
	"github.com/hotspan/hotspan/v8/layout"
)

// Follow follows a path from a store to the value that is there now. ok is false if the path leads nowhere, or what is
// on it cannot be read. Of an empty path the value is the store.
func Follow(r *heap.Reader, store heap.Word, path []Step) (value heap.Word, ok bool) {
	for _, step := range path {
		object, s, err := shapeOf(r, store)
		if err == nil && s.Type == r.Layout().At(layout.TypeJSWeakRef) {
			object, s, err = referred(r, object)
		}
		if err != nil {
			return 0, false
		}
		if store, ok = stepValue(r, object, s, step); !ok {
			return 0, false
		}
	}
	return store, true
}

func shapeOf(r *heap.Reader, w heap.Word) (object heap.Word, s *heap.Shape, err error) {
	object, hiddenClass, err := r.Forwarded(w)
	if err != nil {
		return 0, nil, err
	}
	s, err = r.Shape(hiddenClass)
	return object, s, err
}

// referred is what a WeakRef refers to: undefined where that has been collected. (src/objects/js-weak-refs.tq)
func referred(r *heap.Reader, weak heap.Word) (object heap.Word, s *heap.Shape, err error) {
	const behindHeader = 3 // words, as in other objects
	w, err := r.Property(weak, heap.Slot{Index: behindHeader})
	if err != nil {
		return 0, nil, err
	}
	return shapeOf(r, w)
}

// stepValue is what a step from an object leads to now.
func stepValue(r *heap.Reader, object heap.Word, s *heap.Shape, step Step) (heap.Word, bool) {
	var named []heap.NamedValue
	var err error
	switch {
	case step.Kind == Element:
		w, err := r.Element(object, step.Index)
		return w, err == nil
	case step.Kind != Property && s.Type == r.Layout().At(layout.TypeJSMap):
		named, err = r.NamedEntries(object)
	case step.Kind != Property:
		return 0, false
	case s.Dictionary:
		named, err = r.Dictionary(object)
	default:
		i := slices.IndexFunc(s.Properties, func(p heap.Property) bool {
			return step.matches(p.Name, p.Symbol, false, p.Secret)
		})
		if i < 0 {
			return 0, false
		}
		w, err := r.Property(object, s.Properties[i].Slot)
		return w, err == nil
	}
	i := slices.IndexFunc(named, func(n heap.NamedValue) bool {
		return step.matches(n.Name, n.Symbol, n.Registered, n.Secret)
	})
	if err != nil || i < 0 {
		return 0, false
	}
	return named[i].Value, true
}
