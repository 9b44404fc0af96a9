package context

import (
	"slices"

	"github.com/hotspan/hotspan/v8/heap"
	"github.com/hotspan/hotspan/v8/layout"
)

// maxStoreProperties bounds the property names that are kept to be shown.
const maxStoreProperties = 64

// Learner finds what the BPF program needs to know of one process to read stores, and does not find by itself. It is
// not safe for concurrent use: it and its Reader belong to one goroutine at a time.
type Learner struct {
	r *heap.Reader
	// StoreProperties are names of properties that stores of the process have, at most 64, in the order in which they
	// were found. They help a user whose rule never makes a label.
	StoreProperties []string
}

// NewLearner returns a Learner for the process that r reads.
func NewLearner(r *heap.Reader) *Learner { return &Learner{r: r} }

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
