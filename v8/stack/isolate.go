package stack

import (
	"encoding/binary"
	"io"

	"github.com/hotspan/hotspan/v8/layout"
)

// Isolate is the isolate that a thread has entered, by its thread pointer (fs_base): a thread-local of V8's. 0 = none.
func Isolate(mem io.ReaderAt, l *layout.Layout, fsBase uint64) uint64 {
	if !l.Has(layout.IsolateTLS) || fsBase == 0 {
		return 0
	}
	var b [8]byte
	if n, _ := mem.ReadAt(b[:], int64(fsBase)+l.Values[layout.IsolateTLS].N); n < len(b) {
		return 0
	}
	return binary.LittleEndian.Uint64(b[:])
}
