package nodejs

import (
	"encoding/binary"
	"fmt"

	"github.com/hotspan/hotspan/v8/heap"
	"github.com/hotspan/hotspan/v8/layout"
)

// AsyncHooks says where one Environment of Node.js keeps the resources whose callbacks run. They are a stack.
// JavaScript code pushes its part of it to an array, C++ code to a list of its own. (node: src/env.h, class AsyncHooks)
type AsyncHooks struct {
	Fields          uint64 // address of the counters, u32 each
	Resources       uint64 // address of the handle of the JSArray of resources that JavaScript code pushed
	NativeResources uint64 // address of the list of those that C++ code pushed
	Deque           bool   // the list is a std::deque of pointers to handles, else a std::vector of handles

	TopLevel TopLevel // stands for the resource while the stack is empty
}

// FindAsyncHooks finds the AsyncHooks of the isolate at an address. context is a tagged context of its JavaScript code;
// 0 stands for the one that the isolate has at present. The error wraps ErrNoEnvironment if the isolate has no
// Environment, or none yet.
func FindAsyncHooks(r *heap.Reader, isolate uint64, context heap.Word) (AsyncHooks, error) {
	var err error
	if !context.IsObject() {
		at := r.Layout().At(layout.IsolateContext)
		if at < 0 {
			return AsyncHooks{}, fmt.Errorf("%w: %v is not known", ErrNoEnvironment, layout.IsolateContext)
		}
		if context, err = r.WordAt(isolate + uint64(at)); err != nil {
			return AsyncHooks{}, err
		}
	}
	environment, err := environmentOf(r, context)
	if err != nil {
		return AsyncHooks{}, err
	}
	b, err := readEnvironment(r, environment)
	if err != nil {
		return AsyncHooks{}, err
	}
	return findAsyncHooks(r, isolate, environment, b)
}

// findAsyncHooks finds them in the bytes of an Environment, b.
func findAsyncHooks(r *heap.Reader, isolate, environment uint64, b []byte) (AsyncHooks, error) {
	fields, resources, ok := hooksBuffers(b)
	if !ok || binary.LittleEndian.Uint64(b[fields:]) != isolate {
		return AsyncHooks{}, fmt.Errorf("%w at 0x%x: %w", ErrNoEnvironment, environment, ErrUnknownHooks)
	}
	h := AsyncHooks{
		Fields:          binary.LittleEndian.Uint64(b[fields+bufferData.value():]),
		Resources:       environment + uint64(resources),
		NativeResources: environment + uint64(resources) + 8,
	}
	if err := h.check(r, b[resources:]); err != nil {
		return h, err
	}
	h.FindTopLevel(r)
	return h, nil
}

// FindTopLevel looks for TopLevel, which an isolate has once it uses an AsyncLocalStorage.
func (h *AsyncHooks) FindTopLevel(r *heap.Reader) {
	list := vectorSize
	if h.Deque {
		list = dequeSize
	}
	h.TopLevel = findTopLevel(r, h.NativeResources+uint64(list.value()))
}

// check checks the handle of the JSArray, which b begins with, and finds out what kind of list is behind it.
func (h *AsyncHooks) check(r *heap.Reader, b []byte) error {
	slot := binary.LittleEndian.Uint64(b)
	if slot != 0 {
		array, err := r.WordAt(slot)
		if err != nil {
			return err
		}
		if t, err := r.Type(array); err != nil || t != r.Layout().At(layout.TypeJSArray) {
			return fmt.Errorf("%w: its resources are no array (type %d, %v)", ErrNoEnvironment, t, err)
		}
	}
	list := words(b[8 : 8+dequeSize.value()])
	switch {
	case isDeque(list):
		h.Deque = true
	case !isVector(list):
		return fmt.Errorf("%w: its native resources are neither a vector nor a deque", ErrNoEnvironment)
	}
	return nil
}
