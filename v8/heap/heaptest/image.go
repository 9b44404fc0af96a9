// Package heaptest has memory for tests of what reads V8's heap: one that a test lays out itself, and a hostile one.
package heaptest

import (
	"encoding/binary"
	"fmt"
)

// Base is the address of an Image.
const Base = 0x100000

// Image is memory at Base and nothing else. W is heap.Word, which this package cannot name: heap's own tests use it.
type Image[W ~uint64] struct {
	B     []byte
	Reads int // calls of ReadAt
}

// ReadAt reads memory. It fails where a part of p lies outside.
func (m *Image[W]) ReadAt(p []byte, off int64) (int, error) {
	m.Reads++
	at := uint64(off) - Base
	if uint64(off) < Base || at > uint64(len(m.B)) || uint64(len(p)) > uint64(len(m.B))-at {
		return 0, fmt.Errorf("no memory at 0x%x, %d bytes", uint64(off), len(p))
	}
	return copy(p, m.B[at:]), nil
}

// Put adds an object and returns its tagged address.
func (m *Image[W]) Put(words ...W) W {
	w := W(Base + len(m.B) + 1)
	for _, x := range words {
		m.B = binary.LittleEndian.AppendUint64(m.B, uint64(x))
	}
	return w
}

// Set changes a word of an object.
func (m *Image[W]) Set(object W, i int, w W) {
	binary.LittleEndian.PutUint64(m.B[uint64(object)-1-Base+8*uint64(i):], uint64(w))
}
