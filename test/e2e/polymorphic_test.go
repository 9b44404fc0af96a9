package e2e

import (
	"strconv"
	"testing"
	"time"

	"github.com/hotspan/hotspan/test/draw"
	"github.com/hotspan/hotspan/test/nodes"
	"github.com/hotspan/hotspan/test/truth"
	"github.com/hotspan/hotspan/test/truth/judge"
)

// TestPolymorphic: stores of 800 hidden classes in 50 AsyncLocalStorages. The first sample of each class has its label,
// and what is asked of one AsyncLocalStorage alone.
func TestPolymorphic(t *testing.T) {
	draw.Quarter(t, seldom)
	t.Parallel()
	node, err := nodes.Path("24.21.0")
	if err != nil {
		t.Fatal(err)
	}
	p := start(t, node, "polymorphic.js", nil, []string{"CLASSES=800"})
	samples := recordEnough(t, p.PID, 1997, 6000, 6*time.Second,
		"--label", "user=user", "--label", `named=als("storage 7").user`)
	l := p.truth(t)
	named := func(n *truth.Label) map[string]any {
		want := map[string]any{"user": n.User}
		if i, _ := strconv.Atoi(n.User[len("user "):]); i%50 == 7 {
			want["named"] = n.User
		}
		return want
	}
	all := judge.CompareLabels(samples, l, named)
	tell(t, all.Examples.List())
	if all.Wrong > 0 || all.Outside > 0 {
		t.Errorf("%d samples with wrong labels, %d labelled outside", all.Wrong, all.Outside)
	}
	atLeast(t, all.Right, "samples labelled right", 99.5, 1200)
}
