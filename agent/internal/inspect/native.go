package inspect

import (
	"encoding/binary"
	"strings"

	"github.com/hotspan/hotspan/v8/heap"
	"github.com/hotspan/hotspan/v8/layout"
)

// Root is by what the first of a Path's Steps is held.
type Root struct {
	Kind    RootKind
	Address uint64 // of the word that refers to it, in native memory
	Memory  string // what the kernel calls that memory, such as [stack]; empty: nothing
}

// RootKind is a kind of root.
type RootKind string

// The kinds of roots.
const (
	NoRoot    RootKind = ""        // none was found
	OfContext RootKind = "context" // it is V8's context of all scripts, or its global object
	OfMemory  RootKind = "memory"  // a word outside of V8's heap: a handle, V8's own roots, a stack, or what was one
)

// maxPieces bounds the native memory that is searched, with what is only reserved, in pieces of 256 KiB: 256 GiB.
const maxPieces = 1 << 20

// native finds a word outside of V8's heap that refers to an object of the search: to one that C++ has made, which it
// holds by a handle, and of these or else of all to the nearest.
func (f *search) native(walk *Walk) (to heap.Word, at Root) {
	best := f.rank(0)
	buffer := make([]byte, 1<<18)
	pieces := 0
	for _, m := range f.process.Mappings.Maps() {
		if m.Reserved || m.Path != "" && !strings.HasPrefix(m.Path, "[") {
			continue
		}
		for start := m.Start; start < m.End; start += uint64(len(buffer)) {
			if pieces++; pieces > maxPieces {
				walk.Cut = true
				return to, at
			}
			n, _ := f.process.Memory.ReadAt(buffer[:min(uint64(len(buffer)), m.End-start)], int64(start))
			for i := 0; i+8 <= n; i += 8 {
				w := heap.Word(binary.LittleEndian.Uint64(buffer[i:]))
				if !w.IsObject() || f.heap.Holds(start+uint64(i)) {
					continue
				}
				if rank := f.rank(w); rank < best {
					best, to, at = rank, w, Root{OfMemory, start + uint64(i), m.Path}
				}
			}
		}
	}
	return to, at
}

// rank says how well an object of the search explains that it is held from outside: the less the better.
func (f *search) rank(w heap.Word) int {
	found := f.found[w]
	switch {
	case found.class == nil || isArray(f.of(f.object(w))): // V8 has lists of tables that hold weakly
		return 2 * (maxPasses + 1)
	case found.class.Type == f.l.At(layout.TypeAPIObject):
		return found.pass
	}
	return maxPasses + 1 + found.pass
}
