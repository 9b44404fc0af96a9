package threadlocal

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
