package stack

import (
	"encoding/binary"
	"io"
)

// Isolate is the isolate that a thread has entered, 0 = none. It stands at an offset from the thread's thread pointer
// (fs_base); offset 0 = not known.
func Isolate(mem io.ReaderAt, fsBase uint64, offset int64) uint64 {
	if offset == 0 || fsBase == 0 {
		return 0
	}
	var b [8]byte
	if n, _ := mem.ReadAt(b[:], int64(fsBase)+offset); n < len(b) {
		return 0
	}
	return binary.LittleEndian.Uint64(b[:])
}
