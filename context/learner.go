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

// Shape learns a hidden class, of stores or of what they refer to. One of which nothing can be used is learnt too, as
// one without slots.
func (l *Learner) Shape(hiddenClass heap.Word, ofStore bool) (Shape, error) {
	s, err := l.r.Shape(hiddenClass)
	if err != nil {
		return Shape{}, err
	}
	own := uint32(s.Own) << l.r.Layout().At(layout.BitField3OwnDescriptorsBit)
	out := Shape{Descriptors: uint64(s.Descriptors), Own: own}
	for _, p := range s.Properties {
		if ofStore {
			l.see(p.Name)
		}
		i := slices.Index(l.tree.Names, p.Name)
		if i < 0 || p.Symbol || p.Slot.Index >= SlotOutOfLine {
			continue
		}
		out.Slots[i] = uint16(p.Slot.Index)
		if p.Slot.OutOfLine {
			out.Slots[i] |= SlotOutOfLine
		}
	}
	return out, nil
}

func (l *Learner) see(name string) {
	if len(l.Seen) < maxSeen && !slices.Contains(l.Seen, name) {
		l.Seen = append(l.Seen, name)
	}
}

// Symbols learns the hashes of the symbols that are keys of a JavaScript Map, by description.
func (l *Learner) Symbols(m heap.Word) (map[string]uint32, error) {
	entries, err := l.r.Entries(m)
	if err != nil {
		return nil, err
	}
	out := map[string]uint32{}
	for _, e := range entries {
		hash, err := l.r.SymbolHash(e.Key)
		if err != nil {
			continue
		}
		if name, _, err := l.r.Key(e.Key); err == nil {
			out[name] = hash
		}
	}
	return out, nil
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
