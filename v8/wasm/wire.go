package wasm

import (
	"encoding/binary"
	"fmt"
	"io"

	"github.com/hotspan/hotspan/v8/heap"
)

// wire reads the bytes of a module in the process, from an offset on, piece by piece. After an error it gives zeros.
type wire struct {
	r        *heap.Reader
	base     uint64 // address of the module's first byte
	at, size uint64 // offset, and the offset that it ends at
	err      error
	chunk    []byte
	chunkAt  uint64
}

// maxChunk is how much is read at once: code, most of what is skipped, has functions of some hundred bytes.
const maxChunk = 4096

// take reads n bytes.
func (c *wire) take(n uint64) []byte {
	if c.err == nil && n > c.size-min(c.at, c.size) {
		c.err = fmt.Errorf("%d bytes at %d of %d: %w", n, c.at, c.size, io.ErrUnexpectedEOF)
	}
	if c.err != nil {
		return nil
	}
	var b []byte
	b, c.err = c.r.Bytes(c.base+c.at, int(n))
	c.at += n
	return b
}

func (c *wire) u8() byte {
	if c.err == nil && c.at >= c.size {
		c.err = fmt.Errorf("offset %d of %d: %w", c.at, c.size, io.ErrUnexpectedEOF)
	}
	if c.err != nil {
		return 0
	}
	if c.at < c.chunkAt || c.at >= c.chunkAt+uint64(len(c.chunk)) {
		c.chunk, c.err = c.r.Bytes(c.base+c.at, int(min(maxChunk, c.size-c.at)))
		c.chunkAt = c.at
		if c.err != nil {
			return 0
		}
	}
	c.at++
	return c.chunk[c.at-1-c.chunkAt]
}

// u32 reads a number in LEB128.
func (c *wire) u32() uint32 {
	var b [5]byte
	for i := range b {
		if b[i] = c.u8(); b[i] < 0x80 {
			n, _ := binary.Uvarint(b[:i+1])
			return uint32(n)
		}
	}
	if c.err == nil {
		c.err = fmt.Errorf("offset %d: a number of more than 32 bits", c.at)
	}
	return 0
}

// Kinds of import, and what stands before the heap type of a reference that is written in full.
const (
	importFunction = iota
	importTable
	importMemory
	importGlobal
	importTag

	typeRefNull = 0x63
	typeRef     = 0x64
)

// skipImport skips what an import says of its type, and reports whether it is a function.
func (c *wire) skipImport() bool {
	switch kind := c.u8(); kind {
	case importFunction:
		c.u32()
		return true
	case importTable:
		c.skipType()
		c.skipLimits()
	case importMemory:
		c.skipLimits()
	case importGlobal:
		c.skipType()
		c.u8()
	case importTag:
		c.u8()
		c.u32()
	default:
		if c.err == nil {
			c.err = fmt.Errorf("import of kind %d", kind)
		}
	}
	return false
}

func (c *wire) skipType() {
	if t := c.u8(); t == typeRef || t == typeRefNull {
		c.skipNumber()
	}
}

// skipLimits skips a minimum and, where bit 0 of the flags is set, a maximum. Both may have 64 bits.
func (c *wire) skipLimits() {
	flags := c.u8()
	c.skipNumber()
	if flags&1 != 0 {
		c.skipNumber()
	}
}

func (c *wire) skipNumber() {
	for range binary.MaxVarintLen64 {
		if c.u8() < 0x80 {
			return
		}
	}
}
