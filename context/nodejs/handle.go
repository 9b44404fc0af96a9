package nodejs

import (
	"github.com/hotspan/hotspan/v8/heap"
	"github.com/hotspan/hotspan/v8/layout"
)

// readHandle reads what a v8::Global at an address refers to; ok is false for an empty one, or one of no heap object.
func readHandle(r *heap.Reader, at uint64) (w heap.Word, ok bool) {
	slot, err := r.WordAt(at)
	if err != nil || slot == 0 || slot&7 != 0 {
		return 0, false
	}
	w, err = r.WordAt(uint64(slot))
	return w, err == nil && w.IsObject()
}

func isJSObject(r *heap.Reader, w heap.Word) bool {
	first := r.Layout().At(layout.FirstJSObjectType)
	t, err := r.Type(w)
	return err == nil && first >= 0 && t >= first
}
