package context

import (
	"slices"

	"github.com/hotspan/hotspan/v8/heap"
	"github.com/hotspan/hotspan/v8/layout"
)

// Bounds of what a Learner does.
const (
	maxStoreProperties = 64  // property names that are kept to be shown
	maxVisits          = 256 // objects that are read for one ShapeUpdate
	maxStorageName     = 256 // characters of the name of an AsyncLocalStorage
)

// Learner finds where the objects of one process keep what rules name, for the BPF program, which reads the values. It
// is not safe for concurrent use: it and its Reader belong to one goroutine at a time.
type Learner struct {
	tree *Tree
	r    *heap.Reader
	// StoreProperties are names of properties that stores of the process have, at most 64, in the order in which they
	// were found. They help a user whose rule never makes a label.
	StoreProperties []string
}

// NewLearner returns a Learner for the rules of t in the process that r reads.
func NewLearner(t *Tree, r *heap.Reader) *Learner { return &Learner{tree: t, r: r} }

// ShapesFrom finds the shapes of an object of a node of the Tree, and of the objects that its paths lead to now. It
// leaves out what it cannot read, for instance because the object is gone, and stops after 256 objects. node must be
// one of the Tree's.
func (l *Learner) ShapesFrom(node int, object heap.Word) ShapeUpdate {
	out := newShapeUpdate()
	l.visit(node, object, &out)
	return out
}

// visit follows the edges of the Tree, which has no cycles, so it ends.
func (l *Learner) visit(node int, object heap.Word, out *ShapeUpdate) {
	if out.visits++; out.visits > maxVisits {
		return
	}
	object, hiddenClass, err := l.r.Forwarded(object)
	if err != nil {
		return
	}
	s, err := l.r.Shape(hiddenClass)
	if err != nil {
		return
	}
	if s.Dictionary {
		l.visitDictionary(node, object, out)
	} else {
		out.Shapes[hiddenClass] = l.shape(s, l.tree.isStore(node))
	}
	for _, e := range l.tree.Nodes[node].Edges {
		if e.To < 0 {
			continue
		}
		if value, ok := l.stepValue(object, s, e.Step); ok {
			l.visit(e.To, value, out)
		}
	}
}

func (l *Learner) visitDictionary(node int, object heap.Word, out *ShapeUpdate) {
	if !l.tree.isStore(node) {
		return
	}
	properties, _ := l.r.Dictionary(object)
	for _, p := range properties {
		l.addStoreProperty(p.Name)
	}
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

// Shape finds the shape of one hidden class, for objects of a node of the Tree. A hidden class that has none of the
// named properties has a Shape without slots. The error says why the memory cannot be read as a hidden class. node must
// be one of the Tree's.
func (l *Learner) Shape(node int, hiddenClass heap.Word) (Shape, error) {
	s, err := l.r.Shape(hiddenClass)
	if err != nil {
		return Shape{}, err
	}
	return l.shape(s, l.tree.isStore(node)), nil
}

func (l *Learner) shape(s *heap.Shape, ofStore bool) Shape {
	out := Shape{Descriptors: uint64(s.Descriptors), OwnDescriptors: ownDescriptors(l.r, s)}
	for _, p := range s.Properties {
		if ofStore && !p.Symbol {
			l.addStoreProperty(p.Name)
		}
		i := slices.IndexFunc(l.tree.Names, func(n Name) bool {
			return n.matches(p.Name, p.Symbol, false, p.Secret)
		})
		if i >= 0 {
			out.Slots[i] = slotNumber(p.Slot)
		}
	}
	return out
}

func (l *Learner) addStoreProperty(name string) {
	if len(l.StoreProperties) < maxStoreProperties && !slices.Contains(l.StoreProperties, name) {
		l.StoreProperties = append(l.StoreProperties, name)
	}
}

// NameHash finds the hash that V8 has for a name, by its index in Tree.Names, among the keys of a JavaScript Map or of
// an object in dictionary mode. Hashes differ between isolates. ok is false if the name is not one of the keys.
func (l *Learner) NameHash(name int, object heap.Word) (hash uint32, ok bool) {
	if name >= len(l.tree.Names) {
		return 0, false
	}
	properties, _ := l.r.Dictionary(object)
	entries, _ := l.r.NamedEntries(object)
	for _, n := range append(properties, entries...) {
		if l.tree.Names[name].matches(n.Name, n.Symbol, n.Registered, n.Secret) {
			return n.Hash, true
		}
	}
	return 0, false
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
