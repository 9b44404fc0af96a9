package unwind

import (
	"encoding/binary"
	"fmt"
	"io"
	"math"
)

// words converts bytes to units of 8.
func words(n int64) (int16, bool) {
	w := n / 8
	return int16(w), n%8 == 0 && w >= math.MinInt16 && w <= math.MaxInt16
}

// word reads 8 bytes of a process. The error names what they are.
func word(mem io.ReaderAt, addr uint64, what string) (uint64, error) {
	var b [8]byte
	if n, err := mem.ReadAt(b[:], int64(addr)); n < len(b) {
		return 0, fmt.Errorf("read %s at %#x: %w", what, addr, err)
	}
	return binary.LittleEndian.Uint64(b[:]), nil
}
