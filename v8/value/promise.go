package value

import (
	"fmt"

	"github.com/hotspan/hotspan/v8/heap"
	"github.com/hotspan/hotspan/v8/layout"
)

// promise is the form of a Promise: its state, or the value.
func (s *printing) promise(o *object) (form, error) {
	flags, err := s.Heap.Part(o.w, layout.JSPromiseFlags)
	if err != nil || !flags.IsSmi() {
		return form{}, fmt.Errorf("its state is 0x%x: %w", uint64(flags), err)
	}
	result, err := s.Heap.Part(o.w, layout.JSPromiseResult)
	if err != nil {
		return form{}, err
	}
	f := s.braced(o, "Promise")
	f.shown = true
	f.members = func(depth int) []string {
		switch flags.Smi() & 3 {
		case 0:
			return []string{"<pending>"}
		case 1:
			return []string{s.indented(result, depth)}
		}
		return []string{"<rejected> " + s.indented(result, depth)}
	}
	return f, nil
}

// proxy prints a Proxy as a list of its target and its handler.
func (s *printing) proxy(w heap.Word, depth int) string {
	target, err := s.Heap.Part(w, layout.JSProxyTarget)
	if err != nil {
		return unread(err)
	}
	handler, err := s.Heap.Part(w, layout.JSProxyHandler)
	if err != nil {
		return unread(err)
	}
	if typ, err := s.Heap.Type(handler); err == nil && typ == s.l.At(layout.TypeOddball) {
		return "<Revoked Proxy>"
	}
	if depth > s.deepest() {
		return "Proxy [Array]"
	}
	depth++
	out := []string{s.indented(target, depth), s.indented(handler, depth)}
	return s.join(out, "", [2]string{"Proxy [", "]"}, elements{array: true}, depth)
}
