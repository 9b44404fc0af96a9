package optimized

import (
	"fmt"

	"github.com/hotspan/hotspan/v8/heap"
	"github.com/hotspan/hotspan/v8/layout"
)

// element reads a word of a fixed array; it is checked against the array's length.
func element(r *heap.Reader, array heap.Word, i int) (heap.Word, error) {
	n, err := r.StoreLength(array)
	if err != nil {
		return 0, err
	}
	if i < 0 || i >= n {
		return 0, fmt.Errorf("array 0x%x: no element %d of %d", uint64(array), i, n)
	}
	w, err := r.ElementWord(array, i)
	return w.Strong(), err
}

// unwrap goes from a SharedFunctionInfoWrapper, where there is one, to the SharedFunctionInfo.
func unwrap(r *heap.Reader, w heap.Word) (heap.Word, error) {
	typ, err := r.Type(w)
	if err != nil || typ == r.Layout().At(layout.TypeSharedFunctionInfo) {
		return w, err
	}
	if !r.Layout().Has(layout.SFIWrapperShared) {
		return 0, &heap.TypeError{Object: w, Got: typ, Want: "SharedFunctionInfo"}
	}
	return r.WordAt(uint64(w) - 1 + uint64(r.Layout().At(layout.SFIWrapperShared)))
}

// literal reads a function that is a literal of optimised code.
func literal(r *heap.Reader, literals heap.Word, i int) (heap.Word, error) {
	w, err := element(r, literals, i)
	if err != nil {
		return 0, err
	}
	return unwrap(r, w)
}
