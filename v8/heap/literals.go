package heap

import (
	"fmt"

	"github.com/hotspan/hotspan/v8/layout"
)

// element reads a word of a fixed array; it is checked against the array's length.
func (r *Reader) element(array Word, i int) (Word, error) {
	n, err := r.field(array, layout.FixedArrayLength)
	if err != nil {
		return 0, err
	}
	if !n.IsSmi() || i < 0 || i >= n.Smi() {
		return 0, fmt.Errorf("array 0x%x: no element %d of %d", uint64(array), i, n.Smi())
	}
	w, err := r.WordAt(array.address() + uint64(r.l.At(layout.FixedArrayData)) + 8*uint64(i))
	return w.Strong(), err
}

// unwrap goes from a SharedFunctionInfoWrapper, where there is one, to the SharedFunctionInfo.
func (r *Reader) unwrap(w Word) (Word, error) {
	typ, err := r.Type(w)
	if err != nil || typ == r.l.At(layout.TypeSharedFunctionInfo) {
		return w, err
	}
	if !r.l.Has(layout.SFIWrapperShared) {
		return 0, &TypeError{w, typ, "SharedFunctionInfo"}
	}
	return r.field(w, layout.SFIWrapperShared)
}

// literal reads a function that is a literal of optimised code.
func (r *Reader) literal(literals Word, i int) (Word, error) {
	w, err := r.element(literals, i)
	if err != nil {
		return 0, err
	}
	return r.unwrap(w)
}
