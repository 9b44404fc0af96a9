package value

import (
	"fmt"

	"github.com/hotspan/hotspan/v8/heap"
)

// long reads a text up to maxText, and says how much more there is.
func (s *printing) long(w heap.Word) (t *heap.Text, trailer string, err error) {
	n, err := s.Heap.StringUnits(w)
	if err != nil {
		return nil, "", err
	}
	if n > maxText {
		trailer = fmt.Sprintf("... %d more character%s", n-maxText, plural(n-maxText))
	}
	t, err = s.Heap.Text(w, maxText)
	return t, trailer, err
}
