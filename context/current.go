package context

import (
	"encoding/binary"

	"github.com/hotspan/hotspan/v8/heap"
	"github.com/hotspan/hotspan/v8/layout"
)

// Current is the resource whose callback runs now; 0 if there is none, or no AsyncLocalStorage that is enabled. The BPF
// program does the same: async_hooks.h.
func (h *AsyncHooks) Current(r *heap.Reader) (heap.Word, error) {
	b, err := r.Bytes(h.Fields, 4*numHooksFields)
	if err != nil {
		return 0, err
	}
	field := func(i int) uint32 { return binary.LittleEndian.Uint32(b[4*i:]) }
	if field(hooksInit) == 0 || field(hooksUsed) == 0 || field(hooksDepth) == 0 {
		return 0, nil
	}
	index := int(field(hooksDepth)) - 1
	if w := h.scripted(r, index); w != 0 {
		return w, nil
	}
	slot, err := h.native(r, uint64(index))
	if err != nil || slot == 0 {
		return 0, err
	}
	w, err := r.WordAt(slot)
	if err != nil || !isObject(r, w) {
		return 0, err
	}
	return w, nil
}

// scripted is the resource that JavaScript code pushed at a depth, 0 if it did not.
func (h *AsyncHooks) scripted(r *heap.Reader, index int) heap.Word {
	slot, err := r.WordAt(h.Resources)
	if err != nil || slot == 0 {
		return 0
	}
	array, err := r.WordAt(uint64(slot))
	if err != nil {
		return 0
	}
	resource, err := r.Element(array, index)
	if err != nil || !isObject(r, resource) {
		return 0
	}
	return resource
}

// native is the address of the handle of the resource that C++ code pushed at a depth, 0 if it did not. Then the list is
// as long as the stack is deep: that tells the size of its elements. Since Node 25 they have two words, the second of
// which says whether the first points to a Local or to a Global, which are the same here.
func (h *AsyncHooks) native(r *heap.Reader, index uint64) (uint64, error) {
	b, err := r.Bytes(h.Natives, dequeSize)
	if err != nil {
		return 0, err
	}
	w := func(i int) uint64 { return binary.LittleEndian.Uint64(b[8*i:]) }
	if !h.Deque {
		if w(0)+8*(index+1) != w(1) {
			return 0, nil
		}
		slot, err := r.WordAt(w(0) + 8*index)
		return uint64(slot), err
	}
	const perNode = nodeSize / 8
	first := (w(2) - w(3)) / 8
	switch words := (w(9)-w(5))/8*perNode + (w(6)-w(7))/8 - first; words {
	case index + 1:
		first += index
	case 2 * (index + 1):
		first += 2 * index
	default:
		return 0, nil
	}
	at := w(5) + first/perNode*8
	for _, offset := range []uint64{first % perNode * 8, 0} {
		node, err := r.WordAt(at)
		if err != nil || node == 0 {
			return 0, err
		}
		at = uint64(node) + offset
	}
	slot, err := r.WordAt(at)
	return uint64(slot), err
}

func isObject(r *heap.Reader, w heap.Word) bool {
	t, err := r.Type(w)
	return err == nil && t >= r.Layout().At(layout.FirstJSObjectType)
}

// maxHops is how far stores may be from the resource on the stack.
const maxHops = 3

// StoresOf are those of a resource: an HTTP parser has another one that stands for it, and since Node 24.20 an object of
// the resource has the stores.
func StoresOf(r *heap.Reader, resource heap.Word) ([]heap.Word, error) {
	for range maxHops {
		properties, err := symbolProperties(r, resource)
		if err != nil {
			return nil, err
		}
		switch public, holder := properties[PublicSymbol], properties[ContextSymbol]; {
		case len(public) > 0 && isObject(r, public[0]):
			resource = public[0]
		case len(holder) > 0 && isObject(r, holder[0]):
			resource = holder[0]
		default:
			return properties[StoreSymbol], nil
		}
	}
	return nil, nil
}

// symbolProperties are the values of properties whose keys are symbols of a known kind.
func symbolProperties(r *heap.Reader, object heap.Word) (map[SymbolKind][]heap.Word, error) {
	object, class, err := r.Forwarded(object)
	if err != nil {
		return nil, err
	}
	shape, err := r.Shape(class)
	if err != nil {
		return nil, err
	}
	out := map[SymbolKind][]heap.Word{}
	for _, p := range shape.Properties {
		if kind := symbolKinds[p.Name]; p.Symbol && kind != OtherSymbol {
			if value, err := r.Property(object, p.Slot); err == nil {
				out[kind] = append(out[kind], value)
			}
		}
	}
	if !shape.Dictionary {
		return out, nil
	}
	entries, err := r.Dictionary(object)
	for _, e := range entries {
		if e.Symbol {
			out[symbolKinds[e.Name]] = append(out[symbolKinds[e.Name]], e.Value)
		}
	}
	return out, err
}
