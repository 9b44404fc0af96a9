package nodejs

import (
	"encoding/binary"

	"github.com/hotspan/hotspan/v8/heap"
)

// CurrentResource reads the resource whose callback runs now. It is 0 if there is none, or if no AsyncLocalStorage is
// in use. The BPF program does the same (async_hooks.h).
func (h *AsyncHooks) CurrentResource(r *heap.Reader) (heap.Word, error) {
	b, err := r.Bytes(h.Fields, 4*hooksFields.value())
	if err != nil {
		return 0, err
	}
	counter := func(f field) uint32 { return binary.LittleEndian.Uint32(b[4*f.value():]) }
	if counter(hooksInit) == 0 || counter(hooksUsesResource) == 0 {
		return 0, nil
	}
	if counter(hooksStackLength) == 0 {
		return h.TopLevel.resource(r), nil
	}
	index := int(counter(hooksStackLength)) - 1
	if w := h.jsResource(r, index); w != 0 {
		return w, nil
	}
	slot, err := h.nativeHandle(r, uint64(index))
	if err != nil || slot == 0 {
		return 0, err
	}
	w, err := r.WordAt(slot)
	if err != nil || !isJSObject(r, w) {
		return 0, err
	}
	return w, nil
}

// jsResource is the resource that JavaScript code pushed at an index of the stack, 0 if C++ code did.
func (h *AsyncHooks) jsResource(r *heap.Reader, index int) heap.Word {
	slot, err := r.WordAt(h.Resources)
	if err != nil || slot == 0 {
		return 0
	}
	array, err := r.WordAt(uint64(slot))
	if err != nil {
		return 0
	}
	resource, err := r.Element(array, index)
	if err != nil || !isJSObject(r, resource) {
		return 0
	}
	return resource
}

// nativeHandle is the address of the handle of the resource that C++ code pushed at an index of the stack. If it pushed
// that one, the list is as long as the stack; else the address is 0.
func (h *AsyncHooks) nativeHandle(r *heap.Reader, index uint64) (uint64, error) {
	b, err := r.Bytes(h.NativeResources, dequeSize.value())
	if err != nil {
		return 0, err
	}
	if h.Deque {
		return dequeHandle(r, words(b), index)
	}
	return vectorHandle(r, words(b), index)
}
