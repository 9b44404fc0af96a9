package context

import (
	"slices"

	"github.com/hotspan/hotspan/v8/heap"
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

// Lesson is what was learnt: shapes by hidden class, and the hashes of symbols by description.
type Lesson struct {
	Shapes  map[heap.Word]Shape
	Symbols map[string]uint32
	visits  int
}

// maxVisits bounds the objects that are looked at for one lesson.
const maxVisits = 256

// Learn learns what stands between an object of a node and the values of its labels: its hidden class, and those of
// the objects that it leads to now. What cannot be read, because the object is gone, is left for the next that is met.
func (l *Learner) Learn(node int, object heap.Word) Lesson {
	out := Lesson{Shapes: map[heap.Word]Shape{}, Symbols: map[string]uint32{}}
	l.visit(node, object, &out)
	return out
}

// visit follows the rules' tree, so it ends.
func (l *Learner) visit(node int, object heap.Word, out *Lesson) {
	if out.visits++; out.visits > maxVisits {
		return
	}
	n := &l.tree.Nodes[node]
	if n.Symbols() {
		l.visitMap(n, object, out)
		return
	}
	object, class, err := l.r.Moved(object)
	if err != nil {
		return
	}
	s, err := l.r.Shape(class)
	if err != nil {
		return
	}
	out.Shapes[class] = l.shape(s, l.tree.isStore(node))
	for _, p := range s.Properties {
		for _, e := range n.Edges {
			if e.To < 0 || e.Step.Name != p.Name || p.Symbol {
				continue
			}
			if value, err := l.r.Property(object, p.Slot); err == nil {
				l.visit(e.To, value, out)
			}
		}
	}
}

func (l *Learner) visitMap(n *Node, m heap.Word, out *Lesson) {
	entries, err := l.r.Entries(m)
	if err != nil {
		return
	}
	for _, entry := range entries {
		hash, err := l.r.SymbolHash(entry.Key)
		if err != nil {
			continue
		}
		name, _, err := l.r.Key(entry.Key)
		if err != nil {
			continue
		}
		out.Symbols[name] = hash
		for _, e := range n.Edges {
			if e.To >= 0 && e.Step.Name == name {
				l.visit(e.To, entry.Value, out)
			}
		}
	}
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
		if ofStore {
			l.see(p.Name)
		}
		i := slices.Index(l.tree.Names, p.Name)
		if i >= 0 && !p.Symbol {
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
