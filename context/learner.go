package context

import (
	"slices"

	"github.com/hotspan/hotspan/v8/heap"
	"github.com/hotspan/hotspan/v8/layout"
)

// Bounds of what a Learner does.
const (
	maxStoreProperties = 64  // property names that are kept to be shown
	maxStorageName     = 256 // characters of the name of an AsyncLocalStorage
)

// Learner finds what the BPF program needs to know of one process to read stores, and does not find by itself. It is
// not safe for concurrent use: it and its Reader belong to one goroutine at a time.
type Learner struct {
	tree *Tree
	r    *heap.Reader
	// StoreProperties are names of properties that stores of the process have, at most 64, in the order in which they
	// were found. They help a user whose rule never makes a label.
	StoreProperties []string
}

// NewLearner returns a Learner for the rules of t in the process that r reads.
func NewLearner(t *Tree, r *heap.Reader) *Learner { return &Learner{tree: t, r: r} }

// AddStoreProperties adds the names of the properties that stores of a hidden class have to StoreProperties. The error
// says why the memory cannot be read as a hidden class.
func (l *Learner) AddStoreProperties(hiddenClass heap.Word) error {
	s, err := l.r.Shape(hiddenClass)
	if err != nil {
		return err
	}
	for _, p := range s.Properties {
		if !p.Symbol && len(l.StoreProperties) < maxStoreProperties && !slices.Contains(l.StoreProperties, p.Name) {
			l.StoreProperties = append(l.StoreProperties, p.Name)
		}
	}
	return nil
}

// stepValue is what a step from an object leads to now.
func (l *Learner) stepValue(object heap.Word, s *heap.Shape, step Step) (heap.Word, bool) {
	var named []heap.NamedValue
	var err error
	switch {
	case step.Kind == Element:
		w, err := l.r.Element(object, step.Index)
		return w, err == nil
	case step.Kind != Property && s.Type == l.r.Layout().At(layout.TypeJSMap):
		named, err = l.r.NamedEntries(object)
	case step.Kind != Property:
		return 0, false
	case s.Dictionary:
		named, err = l.r.Dictionary(object)
	default:
		i := slices.IndexFunc(s.Properties, func(p heap.Property) bool {
			return step.matches(p.Name, p.Symbol, false, p.Secret)
		})
		if i < 0 {
			return 0, false
		}
		w, err := l.r.Property(object, s.Properties[i].Slot)
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

// RootOf finds the rules that are for an AsyncLocalStorage only, by its name. It has one from Node.js 24 on, if the
// application gave it one. Without rules for it both numbers in Root are -1. The error says why the name cannot be
// read.
func (l *Learner) RootOf(storage heap.Word) (Root, error) {
	none := Root{Node: -1, Label: -1}
	w, err := l.r.Named(storage, "#name")
	if err != nil {
		return none, err
	}
	name, err := l.r.String(w, maxStorageName)
	if err != nil {
		return none, err
	}
	if root, ok := l.tree.Roots[name]; ok {
		return root, nil
	}
	return none, nil
}

// Follow follows a path from a store to the value that is there now. ok is false if the path leads nowhere, or what is
// on it cannot be read. Of an empty path the value is the store.
func Follow(r *heap.Reader, store heap.Word, path []Step) (value heap.Word, ok bool) {
	l := Learner{r: r}
	for _, step := range path {
		object, hiddenClass, err := r.Forwarded(store)
		if err != nil {
			return 0, false
		}
		s, err := r.Shape(hiddenClass)
		if err != nil {
			return 0, false
		}
		if store, ok = l.stepValue(object, s, step); !ok {
			return 0, false
		}
	}
	return store, true
}
