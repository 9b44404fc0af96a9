package analysis

import (
	"strings"
	"testing"

	"github.com/hotspan/hotspan/pprofx/report"
)

// TestDiffFewSamples: a row with too few samples to compare is not said to have changed by chance.
func TestDiffFewSamples(t *testing.T) {
	var out strings.Builder
	c := report.Comparison{Compared: 1, Unit: report.PerSecond, Functions: []report.Change{
		{Name: "a", OldSamples: 4, NewSamples: 5}, {Name: "b", OldSamples: 5, NewSamples: 5},
		{Name: "c", NewSamples: 9},
	}}
	if err := printDiff(&out, &c, "old", "new", "", 12); err != nil {
		t.Fatal(err)
	}
	const want = `
1 row of 10 samples or more compared

CPU by what it did

CPU by route

CPU by function: self, with what V8, Node and the kernel did for it
  1 row changed by no more than chance explains
  2 rows of fewer than 10 samples, too few to compare
`
	if !strings.HasSuffix(out.String(), want) {
		t.Errorf("%s\nwant at the end %s", &out, want)
	}
}
