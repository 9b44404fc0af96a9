package stack

import (
	"encoding/binary"
	"io"
)

// isolateKey names an isolate. Each counts its scripts from 1, so the same numbers are other functions in another
// isolate. Its address alone does not name it: that is used again when a worker has ended, but by another thread.
type isolateKey struct {
	address uint64
	thread  int
}

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
