package annotate

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hotspan/hotspan/agent/internal/jitcode"
)

// TestHottest: of many pieces those with most samples are kept, in the order of those that have as many.
func TestHottest(t *testing.T) {
	h := hottest{most: 3}
	for i, n := range []int64{0, 5, 1, 9, 0, 5, 7, 1, 0} {
		h.add(jitcode.Copied{PID: i, Piece: jitcode.Piece{Samples: n}})
	}
	pieces, left := h.pieces()
	var got []int
	for _, p := range pieces {
		got = append(got, p.PID)
	}
	if diff := cmp.Diff([]int{3, 6, 1}, got); diff != "" || left != 6 {
		t.Errorf("%d left, want(-) got(+):\n%s", left, diff)
	}
}
