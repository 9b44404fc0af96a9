package functions

import "github.com/hotspan/hotspan/v8/heap"

// All naming may take maxNaming at once, up to a second, and then namingEach a second. A compiler written in JavaScript
// that has just started takes up to 41,000 a second at 99 Hz, and 99,000 at 999 Hz.
const (
	maxNaming  = 200000
	namingEach = 50000
)

// Bound has naming rest where it takes too much. What is known is still named, what is new is not.
func (v *Resolver) Bound() {
	v.naming, v.counted = heap.NewEffort(maxNaming, namingEach), v.live.Work()
}

// Rested reports whether naming has rested so far, or looking for code has.
func (v *Resolver) Rested() bool { return v.naming.Had() || v.vain.Had() }

// Work is what naming has taken so far, as heap.Reader.Work counts it.
func (v *Resolver) Work() int { return v.live.Work() }

// rests reports whether nothing new is to be read of the process now.
func (v *Resolver) rests() bool {
	work := v.live.Work()
	v.naming.Add(work - v.counted)
	v.counted = work
	return v.naming.Rests()
}
