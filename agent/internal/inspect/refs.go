package inspect

import (
	"errors"
	"fmt"
	"slices"

	"github.com/hotspan/hotspan/v8/heap"
	"github.com/hotspan/hotspan/v8/layout"
	"github.com/hotspan/hotspan/v8/space"
)

// Holder is an object that refers to another one.
type Holder struct {
	Kind    string // as Kind.Name
	Address uint64 // with V8's tag
	Where   string // in it: .name, [index], or a word by its offset in bytes
	Weak    bool   // it does not keep the other one alive

	// Of an array in which V8 keeps what belongs to other objects, and of a context, these are its own holders.
	Holders []Holder
	More    int // holders that are not listed
}

// Refs are the holders of one object.
type Refs struct {
	Holder // the object itself
	Walk
}

// maxVia is how many of V8's own arrays and contexts are followed from one object to the next that is none.
const maxVia = 3

// Refs finds who holds an object: at most so many holders of each.
func (s *Subject) Refs(address uint64, most int, progress Progress) (out Refs, err error) {
	k := s.newKinds()
	object, _, err := k.Heap.Forwarded(tagged(address))
	if err == nil {
		_, err = k.Heap.Type(object)
	}
	if err != nil {
		return out, noObject(address, err)
	}
	out.Address = uint64(object)
	h := s.heap()
	of := []*Holder{&out.Holder}
	for via := 0; via < maxVia && len(of) > 0; via++ {
		walk := s.findHolders(h, k, of, most, progress)
		if via == 0 {
			out.Walk = walk
		}
		of = inner(of, object, k)
	}
	if out.Kind == "" {
		return out, fmt.Errorf("0x%x: %w", address, errNotInHeap)
	}
	return out, nil
}

var errNotInHeap = errors.New("no object of the heap begins there")

// inner are the holders that keep something for other objects, and so are to be looked for themselves.
func inner(of []*Holder, object heap.Word, k *kinds) (out []*Holder) {
	seen := map[uint64]bool{uint64(object): true}
	for _, h := range of {
		for i := range h.Holders {
			in := &h.Holders[i]
			if isArray(in.Kind) || in.Kind == "(Context)" {
				if !seen[in.Address] {
					out = append(out, in)
				}
				seen[in.Address] = true
			} else {
				k.nameProperty(in, object)
			}
		}
	}
	return out
}

// isArray reports whether objects of a kind are arrays of V8's own.
func isArray(kind string) bool {
	return slices.Contains([]string{"(FixedArray)", "(array)", "(PropertyArray)"}, kind)
}

// findHolders finds the holders of several objects in one walk, and of which kind the objects are.
func (s *Subject) findHolders(h *space.Heap, k *kinds, of []*Holder, most int, progress Progress) Walk {
	index := map[heap.Word]*Holder{}
	low, high := ^heap.Word(0), heap.Word(0)
	for _, o := range of {
		w := heap.Word(o.Address)
		index[w], low, high = o, min(low, w), max(high, w)
	}
	return s.walk(h, progress, func(o *space.Object) bool {
		if held := index[o.Word]; held != nil {
			held.Kind = k.of(o)
		}
		h.Words(o, func(offset uint64, w heap.Word) bool {
			weak := w&3 == 3
			if w = w.Strong(); w < low || w > high || index[w] == nil {
				return true
			}
			held := index[w]
			if isWeakTable(o) && int(offset) == k.l.At(layout.JSMapTable) {
				ofWeakTable(held)
			}
			if len(held.Holders) >= most {
				held.More++
				return true
			}
			held.Holders = append(held.Holders, Holder{Kind: k.of(o), Address: uint64(o.Word),
				Where: k.where(o, offset, w), Weak: weak || k.weakly(o, offset)})
			return true
		})
		return true
	})
}

// weakly reports whether an object does not keep alive what a word of it refers to, though that word looks like others:
// the target of a WeakRef, and target and token of a cell of a FinalizationRegistry, but not what that is given.
func (k *kinds) weakly(o *space.Object, offset uint64) bool {
	switch o.Name {
	case "JSWeakRef":
		return int(offset) == k.l.At(layout.JSObjectElements)+8
	case "WeakCell":
		return offset >= cellFirst && offset < cellFirst+24 && offset != k.cellHeld()
	}
	return false
}

// ofWeakTable marks an entry of the table of a WeakMap or a WeakSet whose key an object is: it is not held by that. The
// table, as any hash table, begins with three numbers; an entry is a key and a value. (src/objects/hash-table.h)
func ofWeakTable(entry *Holder) {
	var i int
	if n, _ := fmt.Sscanf(entry.Where, "[%d]", &i); n == 1 && i >= 3 && (i-3)%2 == 0 {
		entry.Weak = true
	}
}

// where says where in an object a word is that refers to another one.
func (k *kinds) where(o *space.Object, offset uint64, to heap.Word) string {
	at := func(f layout.Field) bool { return k.l.At(f) == int(offset) }
	kind := k.of(o)
	js := k.ofJavaScript(o.Class)
	function := o.Type >= k.l.At(layout.TypeJSFunctionFirst) && o.Type <= k.l.At(layout.TypeJSFunctionLast)
	switch {
	case offset == 0:
		return "hidden class"
	case kind == "(Context)":
		return k.variable(o, offset, to)
	case isArray(kind) && offset >= uint64(k.l.At(layout.FixedArrayData)):
		return fmt.Sprintf("[%d]", (offset-uint64(k.l.At(layout.FixedArrayData)))/8)
	case o.Name == "PropertyCell" && offset == cellValue:
		return k.globalVariable(o)
	case function && at(layout.JSFunctionContext):
		return "closure"
	case function && at(layout.JSFunctionShared):
		return "what functions of its source share"
	case o.Name == "JSBoundFunction" && int(offset) == k.l.At(layout.JSBoundFunctionTarget)+8:
		return "this of what was bound"
	case o.Name == "JSProxy" && at(layout.JSProxyTarget):
		return "target"
	case o.Name == "JSProxy" && at(layout.JSProxyHandler):
		return "handler"
	case o.Name == "WeakCell" && offset == k.cellHeld():
		return "held value"
	case at(layout.JSMapTable) && (o.Name == "JSMap" || o.Name == "JSSet" || isWeakTable(o)):
		return "entries"
	case js && at(layout.JSReceiverPropertiesOrHash):
		return "properties"
	case js && at(layout.JSObjectElements):
		return "elements"
	}
	if shape, err := k.Heap.Shape(o.Address); js && err == nil {
		for _, p := range shape.Properties {
			if !p.Slot.OutOfLine && uint64(p.Slot.Index)*8 == offset {
				return "." + p.Name
			}
		}
	}
	return fmt.Sprintf("word at %d", offset)
}

func isWeakTable(o *space.Object) bool { return o.Name == "JSWeakMap" || o.Name == "JSWeakSet" }

// cellFirst is where the target, the token and the held value of a WeakCell begin. (src/objects/js-weak-refs.tq)
const cellFirst = 16

// cellHeld is where a WeakCell has what its FinalizationRegistry is given: behind the others, and before them in V8
// 14.6. Node.js has none between 14.1 and that. (holdings)
func (k *kinds) cellHeld() uint64 {
	if k.l.V8.Compare(layout.Version{Major: 14, Minor: 6}) >= 0 {
		return cellFirst
	}
	return cellFirst + 16
}

// cellValue is where a PropertyCell has its value; its name is first. (src/objects/property-cell.tq)
const cellValue = 24

// globalVariable names the property of the global object whose value a PropertyCell has.
func (k *kinds) globalVariable(o *space.Object) string {
	name, err := k.Heap.WordAt(uint64(o.Word) - 1 + 8)
	if err == nil {
		if text, _, err := k.Heap.Key(name); err == nil {
			return "." + text
		}
	}
	return fmt.Sprintf("word at %d", cellValue)
}

// variable names a word of a context.
func (k *kinds) variable(o *space.Object, offset uint64, to heap.Word) string {
	scope, err := k.Heap.Scope(o.Word)
	if err == nil {
		for _, v := range scope.Variables {
			if v.Value == to {
				return "variable " + v.Name
			}
		}
	}
	if scope.Outer == to {
		return "context around it"
	}
	return fmt.Sprintf("word at %d", offset)
}

// nameProperty adds to the place in an object whose properties are in an array of V8's which property it is.
func (k *kinds) nameProperty(h *Holder, object heap.Word) {
	if h.Where != "properties" {
		return
	}
	own, err := k.Heap.Own(heap.Word(h.Address))
	if err != nil {
		return
	}
	for _, p := range own {
		if name, _, err := k.Heap.Key(p.Key); err == nil && p.Value == object && !p.Accessor {
			h.Where = "." + name
			return
		}
	}
}
