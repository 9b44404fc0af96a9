// Package blocks keeps sorted records as blocks of bytes, of which a reader has only the index in memory: the least key
// and the place of each block. It reads a block when it needs one, from a file or from memory.
package blocks

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"sort"
	"sync/atomic"
)

// Writer collects blocks. The zero value is ready to use.
type Writer struct {
	Data  []byte // callers append the records of the current block
	index []block
}

type block struct {
	key uint64 // least of its records
	at  uint32 // in the data
}

// Begin begins a block. Keys must rise.
func (w *Writer) Begin(key uint64) { w.index = append(w.index, block{key, uint32(len(w.Data))}) }

// Size is how many bytes AppendTo appends.
func (w *Writer) Size() int { return headSize + len(w.index)*indexSize + len(w.Data) }

// AppendTo appends the blocks in the form that Open reads: the number of blocks and the size of the data, then key and
// place of each block, then the data.
func (w *Writer) AppendTo(b []byte) []byte {
	b = slices.Grow(b, w.Size())
	b = binary.LittleEndian.AppendUint32(b, uint32(len(w.index)))
	b = binary.LittleEndian.AppendUint32(b, uint32(len(w.Data)))
	for _, i := range w.index {
		b = binary.LittleEndian.AppendUint64(b, i.key)
		b = binary.LittleEndian.AppendUint32(b, i.at)
	}
	return append(b, w.Data...)
}

const (
	headSize  = 8
	indexSize = 12
	maxBlock  = 8 << 20 // bytes: see Table.Read
)

// Table reads blocks. Any number of goroutines may use it if its reader allows that.
type Table struct {
	r     atomic.Pointer[io.ReaderAt]
	index []block
	data  int64 // where the data begins
	size  uint32
}

var errCut = errors.New("blocks: cut off")

// Open reads the index of the blocks at the start of r, whose length is size. It keeps r.
func Open(r io.ReaderAt, size int64) (*Table, error) {
	var head [headSize]byte
	if _, err := r.ReadAt(head[:], 0); err != nil {
		return nil, fmt.Errorf("blocks: %w", err)
	}
	n, data := int64(binary.LittleEndian.Uint32(head[:])), int64(binary.LittleEndian.Uint32(head[4:]))
	if headSize+n*indexSize+data != size {
		return nil, errCut
	}
	b := make([]byte, n*indexSize)
	if _, err := r.ReadAt(b, headSize); err != nil && len(b) > 0 {
		return nil, fmt.Errorf("blocks: %w", err)
	}
	t := &Table{index: make([]block, n), data: headSize + n*indexSize, size: uint32(data)}
	t.r.Store(&r)
	for i := range t.index {
		e := b[i*indexSize:]
		t.index[i] = block{binary.LittleEndian.Uint64(e), binary.LittleEndian.Uint32(e[8:])}
		if i == 0 {
			continue
		}
		if last := t.index[i-1]; t.index[i].key <= last.key || t.index[i].at < last.at {
			return nil, fmt.Errorf("blocks: block %d is out of order", i)
		}
	}
	if n > 0 && (t.index[0].at != 0 || t.index[n-1].at > t.size) {
		return nil, errCut
	}
	return t, nil
}

// Move has the table read its blocks from another reader from now on, which must have the same bytes.
func (t *Table) Move(r io.ReaderAt) { t.r.Store(&r) }

// Len returns the number of blocks.
func (t *Table) Len() int { return len(t.index) }

// Key returns the least key of a block.
func (t *Table) Key(i int) uint64 { return t.index[i].key }

// Find returns the last block whose least key is at most key; -1 if there is none.
func (t *Table) Find(key uint64) int {
	return sort.Search(len(t.index), func(i int) bool { return t.index[i].key > key }) - 1
}

// Read reads a block. The error is of the reader, or says that the block has more than 8 MiB.
func (t *Table) Read(i int) ([]byte, error) {
	start, end := t.index[i].at, t.size
	if i+1 < len(t.index) {
		end = t.index[i+1].at
	}
	if end-start > maxBlock {
		return nil, fmt.Errorf("blocks: block %d has %d bytes", i, end-start)
	}
	b := make([]byte, end-start)
	if n, err := (*t.r.Load()).ReadAt(b, t.data+int64(start)); n < len(b) {
		return nil, fmt.Errorf("blocks: block %d: %w", i, err)
	}
	return b, nil
}

// Records reads numbers and bytes from the front of a block. After one that is cut off, all are empty, and Left is 0.
type Records struct {
	b   []byte
	cut bool
}

// NewRecords makes a reader of a block.
func NewRecords(block []byte) Records { return Records{b: block} }

// Cut reports whether something was cut off.
func (r *Records) Cut() bool { return r.cut }

// Left returns how many bytes are left.
func (r *Records) Left() int { return len(r.b) }

// Number reads an unsigned number as binary.AppendUvarint writes it.
func (r *Records) Number() uint64 {
	v, n := binary.Uvarint(r.b)
	if n <= 0 {
		r.b, r.cut = nil, true
		return 0
	}
	r.b = r.b[n:]
	return v
}

// Signed reads a number as binary.AppendVarint writes it.
func (r *Records) Signed() int64 {
	v, n := binary.Varint(r.b)
	if n <= 0 {
		r.b, r.cut = nil, true
		return 0
	}
	r.b = r.b[n:]
	return v
}

// Bytes reads as many bytes.
func (r *Records) Bytes(n uint64) []byte {
	if n > uint64(len(r.b)) || n > math.MaxInt32 {
		r.b, r.cut = nil, true
		return nil
	}
	taken := r.b[:n:n]
	r.b = r.b[n:]
	return taken
}
