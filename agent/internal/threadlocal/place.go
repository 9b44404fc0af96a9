package threadlocal

import "io"

// Kind says how the address of a variable is computed from the thread pointer.
type Kind uint8

// The kinds of Place.
const (
	Static   Kind = iota + 1 // thread pointer + Offset
	DTVGlibc                 // the thread's block for Module + Offset, by glibc's table of blocks
	DTVMusl                  // the same by musl's
)

// Place is where a variable is, in each thread.
type Place struct {
	Kind   Kind
	Offset int64
	Module uint32
	// Generation is the first one of glibc's table that may have the module's block; 0 = not known. A thread then looks
	// as if it had the variable if it has not touched it since the module's number was another library's.
	Generation uint64
}

// Address returns where a thread has the variable, by its thread pointer; false for a thread that has none. It is what
// locate of thread_context.h computes.
func (p Place) Address(mem io.ReaderAt, thread uint64) (uint64, bool) {
	if p.Kind == Static {
		return thread + uint64(p.Offset), true
	}
	var table, generation, count, block [1]uint64
	ok := words(mem, thread+8, table[:])
	if p.Kind == DTVMusl {
		ok = ok && words(mem, table[0], count[:]) && words(mem, table[0]+8*uint64(p.Module), block[:])
	} else {
		ok = ok && words(mem, table[0]-16, count[:]) && words(mem, table[0], generation[:]) &&
			words(mem, table[0]+16*uint64(p.Module), block[:])
	}
	if !ok || uint64(p.Module) > count[0] || generation[0] < p.Generation || block[0] == 0 || block[0] == ^uint64(0) {
		return 0, false
	}
	return block[0] + uint64(p.Offset), true
}

// Limits of the values in a relocation.
const (
	maxModule = 1 << 16
	maxOffset = 1 << 30 // bytes
)

// dynamic returns a place by module, offset and generation.
func dynamic(w [3]uint64, musl, ok bool) (Place, bool) {
	if !ok || w[0] == 0 || w[0] > maxModule || w[1] > maxOffset {
		return Place{}, false
	}
	p := Place{Kind: DTVGlibc, Offset: int64(w[1]), Module: uint32(w[0]), Generation: w[2]}
	if musl {
		p.Kind = DTVMusl
	}
	return p, true
}
