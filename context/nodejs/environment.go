package nodejs

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/hotspan/hotspan/v8/heap"
	"github.com/hotspan/hotspan/v8/layout"
)

// ErrNoEnvironment says that an isolate has no Environment, the struct in which Node.js keeps all that belongs to one
// JavaScript thread, or that its layout is not known. An isolate that has just started may have one later.
var ErrNoEnvironment = errors.New("no Environment of Node.js")

// ErrUnknownHooks says that an Environment has its async_hooks where this package does not find them.
var ErrUnknownHooks = errors.New("it has no async_hooks that are known")

// environmentBytes is how much of an Environment is searched. AsyncHooks is within its first 1.5 kB since Node.js 16.
const environmentBytes = 0x1000

// readEnvironment reads the beginning of an Environment, less of it if that is at the end of what is mapped.
func readEnvironment(r *heap.Reader, addr uint64) ([]byte, error) {
	for size := environmentBytes; size >= environmentBytes/4; size /= 2 {
		if b, err := r.Bytes(addr, size); err == nil {
			return b, nil
		}
	}
	return nil, fmt.Errorf("%w at 0x%x: not readable", ErrNoEnvironment, addr)
}

// environmentOf goes from a context to its hidden class, from there to the native context, and to what Node.js keeps
// there: the address of the Environment.
func environmentOf(r *heap.Reader, context heap.Word) (uint64, error) {
	l := r.Layout()
	needed := []layout.Field{
		layout.MapConstructorOrBackPointer, layout.NativeContextEmbedderData, layout.EmbedderDataFirst,
	}
	if err := l.Require(needed...); err != nil {
		return 0, err
	}
	_, hiddenClass, err := r.Forwarded(context)
	if err != nil {
		return 0, fmt.Errorf("%w: context %w", ErrNoEnvironment, err)
	}
	w := hiddenClass
	for _, at := range []int{l.At(layout.MapConstructorOrBackPointer), l.At(layout.NativeContextEmbedderData),
		l.At(layout.EmbedderDataFirst) + 8*embedderSlot.value()} {
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

// hooksBuffers finds the two buffers of AsyncHooks, fields_ and async_id_fields_, in the bytes of an Environment, by
// what they hold. fields is the offset of isolate_ in the first, next that of what follows the second.
func hooksBuffers(b []byte) (fields, next int, ok bool) {
	word := func(at int) uint64 { return binary.LittleEndian.Uint64(b[at:]) }
	isAddress := func(n uint64) bool { return n != 0 && n&7 == 0 }
	isBuffer := func(at, count int) bool {
		return isAddress(word(at)) && word(at+bufferCount.value()) == uint64(count) &&
			word(at+bufferOffset.value()) == 0 && isAddress(word(at+bufferData.value()))
	}
	// Behind the buffers are a handle and the list of native resources.
	weak := bufferSizeWeak.value()
	needed := weak + 8 + weak + 8 + dequeSize.value()
	for at := 0; at+needed <= len(b); at += 8 {
		if !isBuffer(at, hooksFields.value()) {
			continue
		}
		for _, buffer := range []struct{ whole, fromIsolate int }{
			{bufferSize.value(), bufferSize.value()}, {bufferSizeVirtual.value(), bufferSize.value()}, {weak + 8, weak},
		} {
			ids := at + buffer.whole
			if isBuffer(ids, hooksIDs.value()) && word(ids) == word(at) {
				return at, ids + buffer.fromIsolate, true
			}
		}
	}
	return 0, 0, false
}
