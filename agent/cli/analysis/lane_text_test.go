package analysis

import (
	"testing"

	"github.com/hotspan/hotspan/pprofx/report"
)

// A lane is as wide as it is said to be, whatever is in it.
func TestDrawLane(t *testing.T) {
	own := func(class report.Class, at ...int64) (all []report.Mark) {
		for _, time := range at {
			all = append(all, report.Mark{Time: time, Class: class, Own: true})
		}
		return all
	}
	for name, test := range map[string]struct {
		marks []report.Mark
		want  string
	}{
		"nothing":            {nil, "          "},
		"a period":           {own(report.JS, 20), "  jj      "},
		"until the next one": {append(own(report.Kernel, 20), own(report.JS, 30)...), "  kjj     "},
		"the most":           {append(own(report.Native, 50), own(report.GC, 51, 52)...), "     gg   "},
		"other work":         {[]report.Mark{{Time: 10}, {Time: 20, Own: true, Class: report.Pool}}, " ·pp      "},
		"the ends":           {own(report.JS, -5, 99, 200), "j        j"},
	} {
		got := drawLane(&report.Lane{Marks: test.marks, Period: 20}, 0, 100, 10)
		if got != test.want {
			t.Errorf("%s: %q, want %q", name, got, test.want)
		}
	}
	if got := drawLane(&report.Lane{Marks: own(report.JS, 5)}, 5, 5, 3); got != "j  " {
		t.Errorf("no time: %q", got)
	}
}
