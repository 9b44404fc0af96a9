// Package heap reads V8's heap objects in the memory of another process: strings, properties, functions, scripts,
// machine code and its tables.
//
// The process runs while it is read, so nothing in its memory is trusted: types are checked, lengths capped, loops
// bounded. Every function ends and returns an error where the memory is not what it should be; what it returns may
// still be of two points in time. Callers that need more read twice.
//
// A Reader needs the Layout of the V8 that the process runs (package layout) and its memory as an io.ReaderAt of
// addresses (package target). It keeps a buffer and is not safe for concurrent use; make one per goroutine.
//
// The hidden class of an object is what V8's sources call its Map, which is not a JavaScript Map. The word of an object
// that refers to it is the map word. A Shape is what this package reads of a hidden class.
package heap

// Word is one tagged slot: a Smi (a small integer in the upper half) or the address of a heap object plus one.
// (include/v8-internal.h, without pointer compression)
type Word uint64

// IsSmi says that the word is a small integer.
func (w Word) IsSmi() bool { return w&0xffffffff == 0 }

// Smi is the small integer; valid only if IsSmi.
func (w Word) Smi() int { return int(int32(w >> 32)) }

// IsObject says that the word is a strong pointer to a heap object.
func (w Word) IsObject() bool { return w&3 == 1 && w > 0x1000 }

// Strong turns a weak pointer (tag 3) into a strong one and leaves other words as they are.
func (w Word) Strong() Word {
	if w&3 == 3 && w != 3 {
		return w &^ 2
	}
	return w
}

func (w Word) address() uint64 { return uint64(w) - 1 }
