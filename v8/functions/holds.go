package functions

import "slices"

// Basis returns what the frames were derived from that were resolved since Begin. It is false if they hold for this
// sample only: something could not be read, or words of the thread's stack count too.
func (v *Resolver) Basis() (Basis, bool) {
	if v.basis.passing {
		return Basis{}, false
	}
	return Basis{slices.Clone(v.basis.codes)}, true
}

// Holds reports whether the machine code of a basis is still there.
func (v *Resolver) Holds(b Basis) bool {
	for _, c := range b.codes {
		if !v.holds(c) {
			return false
		}
		v.code.use(c)
	}
	return true
}
