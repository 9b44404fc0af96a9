package context

import (
	"slices"

	"github.com/hotspan/hotspan/v8/heap"
	"github.com/hotspan/hotspan/v8/layout"
)

// maxSeen bounds the property names that are remembered to be shown.
const maxSeen = 64

// SlotOutOfLine marks a slot that is an element of the property array.
const SlotOutOfLine = 0x8000

// Shape is what objects of one hidden class have of the names that rules use.
type Shape struct {
	Descriptors uint64
	Own         uint32           // number of own descriptors, in its place in the class's bit field
	Slots       [MaxNames]uint16 // by number of the name: 0 = none, else a word of the object or, marked, of its array
}

// Learner learns where one process keeps what the rules name.
type Learner struct {
	tree *Tree
	r    *heap.Reader
	Seen []string // property names of the stores, in the order in which they were met
}

// NewLearner learns for the rules of t in the process that r reads.
func NewLearner(t *Tree, r *heap.Reader) *Learner { return &Learner{tree: t, r: r} }

// Lesson is what was learnt: shapes by hidden class.
type Lesson struct {
	Shapes map[heap.Word]Shape
	visits int
}

// maxVisits bounds the objects that are looked at for one lesson.
const maxVisits = 256

// Learn learns what stands between an object of a node and the values of its labels: its hidden class, and those of
// the objects that it leads to now. What cannot be read, because the object is gone, is left for the next that is met.
func (l *Learner) Learn(node int, object heap.Word) Lesson {
	out := Lesson{Shapes: map[heap.Word]Shape{}}
	l.visit(node, object, &out)
	return out
}

// visit follows the rules' tree, so it ends.
func (l *Learner) visit(node int, object heap.Word, out *Lesson) {
	if out.visits++; out.visits > maxVisits {
		return
	}
	object, class, err := l.r.Forwarded(object)
	if err != nil {
		return
	}
	s, err := l.r.Shape(class)
	if err != nil {
		return
	}
	if s.Dictionary {
		l.visitDictionary(node, object, out)
	} else {
		out.Shapes[class] = l.shape(s, l.tree.isStore(node))
	}
	for _, e := range l.tree.Nodes[node].Edges {
		if e.To < 0 {
			continue
		}
		if value, ok := l.value(object, s, e.Step); ok {
			l.visit(e.To, value, out)
		}
	}
}

func (l *Learner) visitDictionary(node int, object heap.Word, out *Lesson) {
	if !l.tree.isStore(node) {
		return
	}
	properties, _ := l.r.Dictionary(object)
	for _, p := range properties {
		l.see(p.Name)
	}
}

// value is what a step from an object leads to now.
func (l *Learner) value(object heap.Word, s *heap.Shape, step Step) (heap.Word, bool) {
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
		i := slices.IndexFunc(s.Properties, func(p heap.Property) bool { return step.is(p.Name, p.Symbol, false, p.Secret) })
		if i < 0 {
			return 0, false
		}
		w, err := l.r.Property(object, s.Properties[i].Slot)
		return w, err == nil
	}
	i := slices.IndexFunc(named, func(n heap.NamedValue) bool { return step.is(n.Name, n.Symbol, n.Registered, n.Secret) })
	if err != nil || i < 0 {
		return 0, false
	}
	return named[i].Value, true
}

// is reports whether a step is to what has this name.
func (s Step) is(text string, symbol, registered, secret bool) bool {
	n, ok := s.name()
	return ok && n.is(text, symbol, registered, secret)
}

func (n Name) is(text string, symbol, registered, secret bool) bool {
	if n.Text != text {
		return false
	}
	switch n.Kind {
	case SymbolName:
		return symbol && !secret
	case GlobalName:
		return symbol && registered
	case PrivateName:
		return secret
	}
	return !symbol
}

// Shape learns a hidden class alone. One of which nothing can be used is learnt too, as one without slots.
func (l *Learner) Shape(node int, class heap.Word) (Shape, error) {
	s, err := l.r.Shape(class)
	if err != nil {
		return Shape{}, err
	}
	return l.shape(s, l.tree.isStore(node)), nil
}

func (l *Learner) shape(s *heap.Shape, ofStore bool) Shape {
	out := Shape{Descriptors: uint64(s.Descriptors), Own: l.own(s)}
	for _, p := range s.Properties {
		if ofStore && !p.Symbol {
			l.see(p.Name)
		}
		i := slices.IndexFunc(l.tree.Names, func(n Name) bool { return n.is(p.Name, p.Symbol, false, p.Secret) })
		if i >= 0 {
			out.Slots[i] = slotNumber(p.Slot)
		}
	}
	return out
}

func (l *Learner) see(name string) {
	if len(l.Seen) < maxSeen && !slices.Contains(l.Seen, name) {
		l.Seen = append(l.Seen, name)
	}
}

// Hash finds the hash of a name among the keys of a Map, or the properties of an object in dictionary mode.
func (l *Learner) Hash(name int, object heap.Word) (uint32, bool) {
	if name >= len(l.tree.Names) {
		return 0, false
	}
	properties, _ := l.r.Dictionary(object)
	entries, _ := l.r.NamedEntries(object)
	for _, n := range append(properties, entries...) {
		if l.tree.Names[name].is(n.Name, n.Symbol, n.Registered, n.Secret) {
			return n.Hash, true
		}
	}
	return 0, false
}

// Store learns which rules are for an AsyncLocalStorage, by its name. It has one from Node.js 24 on, where the
// application gave it.
func (l *Learner) Store(storage heap.Word) (Root, error) {
	none := Root{Node: -1, Label: -1}
	w, err := l.r.Named(storage, "#name")
	if err != nil {
		return none, err
	}
	name, err := l.r.String(w, 256)
	if err != nil {
		return none, err
	}
	if root, ok := l.tree.Roots[name]; ok {
		return root, nil
	}
	return none, nil
}

// Lead follows a path from a store to what is there now.
func Lead(r *heap.Reader, store heap.Word, path []Step) (heap.Word, bool) {
	l := Learner{r: r}
	for _, step := range path {
		object, class, err := r.Forwarded(store)
		if err != nil {
			return 0, false
		}
		s, err := r.Shape(class)
		if err != nil {
			return 0, false
		}
		var ok bool
		if store, ok = l.value(object, s, step); !ok {
			return 0, false
		}
	}
	return store, true
}
