package context

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/hotspan/hotspan/v8/heap"
	"github.com/hotspan/hotspan/v8/layout"
)

// ErrNoEnvironment says that an isolate has no Environment of Node's, or none that is known.
var ErrNoEnvironment = errors.New("no Environment of Node.js")

// AsyncHooks is where one Environment of Node keeps the resources whose callbacks run: a stack, the upper part of which
// JavaScript code may have pushed, and C++ the rest. (node: src/env.h, class AsyncHooks)
type AsyncHooks struct {
	Fields    uint64 // address of the counters, u32
	Resources uint64 // address of the Global of the JSArray of resources that JavaScript code pushed
	Natives   uint64 // address of the list of those that C++ pushed
	Deque     bool   // the list is a std::deque of pointers to handles, else a std::vector of handles
}

// Counters of AsyncHooks. (node: src/env.h, enum AsyncHooks::Fields)
const (
	hooksInit       = 0 // active hooks with an init callback
	hooksDepth      = 7 // of the stack
	hooksUsed       = 8 // 1 once executionAsyncResource() was called, as each AsyncLocalStorage does
	numHooksFields  = 9
	numHooksIDs     = 4  // doubles, in the buffer behind
	environmentSlot = 32 // node: src/node_context_data.h, NODE_CONTEXT_EMBEDDER_DATA_INDEX
)

// environmentBytes is how much of an Environment is searched. AsyncHooks is within its first 1.5 kB since Node 16.
const environmentBytes = 0x1000

// AsyncHooksOf finds those of an isolate. context is a context of its JavaScript code, 0 for the one that the isolate
// has at present, which may be none.
func AsyncHooksOf(r *heap.Reader, isolate uint64, context heap.Word) (AsyncHooks, error) {
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
	b, err := environmentAt(r, environment)
	if err != nil {
		return AsyncHooks{}, err
	}
	return findAsyncHooks(r, isolate, environment, b)
}

// environmentAt reads an Environment, less of it where that is at the end of what is mapped.
func environmentAt(r *heap.Reader, addr uint64) ([]byte, error) {
	for size := environmentBytes; size >= environmentBytes/4; size /= 2 {
		if b, err := r.Bytes(addr, size); err == nil {
			return b, nil
		}
	}
	return nil, fmt.Errorf("%w at 0x%x: not readable", ErrNoEnvironment, addr)
}

// environmentOf goes from a context to its hidden class, to the native context, to what Node keeps there.
func environmentOf(r *heap.Reader, context heap.Word) (uint64, error) {
	l := r.Layout()
	if err := l.Require(layout.MapConstructorOrBackPointer, layout.NativeContextEmbedderData, layout.EmbedderDataFirst); err != nil {
		return 0, err
	}
	_, class, err := r.Forwarded(context)
	if err != nil {
		return 0, fmt.Errorf("%w: context %w", ErrNoEnvironment, err)
	}
	w := class
	for _, at := range []int{l.At(layout.MapConstructorOrBackPointer), l.At(layout.NativeContextEmbedderData),
		l.At(layout.EmbedderDataFirst) + 8*environmentSlot} {
		if w, _, err = r.Forwarded(w); err != nil {
			return 0, fmt.Errorf("%w: %w", ErrNoEnvironment, err)
		}
		if w, err = r.WordAt(uint64(w) - 1 + uint64(at)); err != nil {
			return 0, err
		}
	}
	if w == 0 || w&7 != 0 {
		return 0, fmt.Errorf("%w: the native context has 0x%x for it", ErrNoEnvironment, uint64(w))
	}
	return uint64(w), nil
}

// A buffer that C++ and JavaScript code share begins with the isolate, the number of its elements, an offset and the
// address of the first. (node: src/aliased_buffer.h) The next one is behind it, since Node 18 with a vtable before it.
const (
	bufferSize       = 0x30
	bufferSizeVtable = 0x38
)

// findAsyncHooks finds the two buffers of AsyncHooks in an Environment, by what they hold, and what follows them.
func findAsyncHooks(r *heap.Reader, isolate, environment uint64, b []byte) (AsyncHooks, error) {
	fields, ids, ok := hooksBuffers(b)
	if !ok || binary.LittleEndian.Uint64(b[fields:]) != isolate {
		return AsyncHooks{}, fmt.Errorf("%w at 0x%x: it has no async_hooks that are known", ErrNoEnvironment, environment)
	}
	h := AsyncHooks{
		Fields:    binary.LittleEndian.Uint64(b[fields+24:]),
		Resources: environment + uint64(ids) + bufferSize,
	}
	h.Natives = h.Resources + 8
	return h, h.check(r, b[ids+bufferSize:])
}

// hooksBuffers finds where in an Environment the two buffers begin, by what they hold.
func hooksBuffers(b []byte) (fields, ids int, ok bool) {
	word := func(at int) uint64 { return binary.LittleEndian.Uint64(b[at:]) }
	isBuffer := func(at int, n uint64) bool {
		return word(at) != 0 && word(at)&7 == 0 && word(at+8) == n && word(at+16) == 0 && word(at+24) != 0 && word(at+24)&7 == 0
	}
	for at := 0; at+bufferSizeVtable+bufferSize+8+dequeSize <= len(b); at += 8 {
		if !isBuffer(at, numHooksFields) {
			continue
		}
		for _, next := range []int{at + bufferSize, at + bufferSizeVtable} {
			if isBuffer(next, numHooksIDs) && word(next) == word(at) {
				return at, next, true
			}
		}
	}
	return 0, 0, false
}

// check looks at the handle of the JSArray and at the list behind it, which begin b.
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
	var list [dequeSize / 8]uint64
	for i := range list {
		list[i] = binary.LittleEndian.Uint64(b[8+8*i:])
	}
	switch {
	case isDeque(list):
		h.Deque = true
	case !isVector(list):
		return fmt.Errorf("%w: its native resources are neither a vector nor a deque", ErrNoEnvironment)
	}
	return nil
}

// libstdc++'s std::deque (bits/stl_deque.h): the map of nodes and its size, then two iterators, each the element, the
// begin and end of its node, and the place of the node in the map. A node has 512 bytes.
const (
	dequeSize = 80
	nodeSize  = 512
)

func isDeque(w [dequeSize / 8]uint64) bool {
	nodes, size := w[0], w[1]
	inNode := func(i []uint64) bool {
		return i[1] <= i[0] && i[0] <= i[2] && i[2] == i[1]+nodeSize && i[3] >= nodes && i[3] < nodes+8*size
	}
	return nodes != 0 && size >= 1 && size < 1<<32 && inNode(w[2:]) && inNode(w[6:])
}

func isVector(w [dequeSize / 8]uint64) bool {
	return w[0] <= w[1] && w[1] <= w[2] && (w[0]|w[1]|w[2])&7 == 0
}
