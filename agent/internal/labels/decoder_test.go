package labels

import (
	"log/slog"
	"strconv"
	"testing"

	reqctx "github.com/hotspan/hotspan/context"
)

// TestMatched: what labels a process makes up does not take more and more memory, and a rule's label is still seen.
func TestMatched(t *testing.T) {
	d := NewDecoder(&reqctx.Tree{Labels: []reqctx.TreeLabel{{Label: "tenant"}}}, nil, slog.New(slog.DiscardHandler))
	for i := range 2 * maxMatched {
		d.match(strconv.Itoa(i))
	}
	if len(d.matched) > maxMatched || d.Matched("tenant") {
		t.Errorf("%d labels, tenant %v", len(d.matched), d.Matched("tenant"))
	}
	if d.match("tenant"); !d.Matched("tenant") {
		t.Error("the label of a rule does not count")
	}
}
