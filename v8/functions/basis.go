package functions

import "slices"

// basis is what the frames of the current sample were derived from.
type basis struct {
	codes   []*code
	passing bool // also from something that holds for this sample only
}

func (b *basis) add(c *code) {
	if !slices.Contains(b.codes, c) {
		b.codes = append(b.codes, c)
	}
}

// Basis is the machine code that a stack was derived from. The same raw frames give the same stack as long as it is
// there.
type Basis struct{ codes []*code }
