package main

import (
	"strings"
	"testing"

	"github.com/hotspan/hotspan/test/truth/judge"
)

// TestRounding: 100 stands for all and 0 for none, whatever is near.
func TestRounding(t *testing.T) {
	for _, tt := range []struct {
		share       judge.Share
		kept, amiss string
	}{
		{judge.Share{}, "-", "-"},
		{judge.Share{Part: 100000, Whole: 100000}, "100", "100"},
		{judge.Share{Part: 99999, Whole: 100000}, "99.99", "100"},
		{judge.Share{Part: 1, Whole: 100000}, "0", "0.01"},
		{judge.Share{Part: 0, Whole: 100000}, "0", "0"},
		{judge.Share{Part: 1, Whole: 3}, "33.33", "33.34"},
	} {
		if got := kept(tt.share); got != tt.kept {
			t.Errorf("kept(%v) = %s, want %s", tt.share, got, tt.kept)
		}
		if got := amiss(tt.share); got != tt.amiss {
			t.Errorf("amiss(%v) = %s, want %s", tt.share, got, tt.amiss)
		}
	}
}

// TestReport: rows of a version add up, and what is below a bound is named, for hotspan only.
func TestReport(t *testing.T) {
	share := func(part, whole int) judge.Share { return judge.Share{Part: part, Whole: whole} }
	run := func(program, profiler string, wrong, root judge.Share) *row {
		return &row{version: "24.21.0", program: program, profiler: profiler, samples: 1000, wrong: wrong, root: root,
			micros: 5}
	}
	good := run("a", "hotspan", share(0, 1000), share(1000, 1000))
	bad := run("b", "hotspan", share(1, 1000), share(999, 1000))
	peer := run("a", "--cpu-prof", share(500, 1000), judge.Share{})
	var b strings.Builder
	if !report(&b, []*row{good, bad, peer}) {
		t.Error("README holds")
	}
	for _, want := range []string{
		"| 24.21.0 | hotspan | 2000 | - | 99.95 | - | - | 0.05 |",
		"| 24.21.0 | --cpu-prof | 1000 | - | - | - | - | 50 |",
		"| 24.21.0 a | hotspan | 1000 | - | 100 | - | - | 0 |",
		"\n24.21.0 b, hotspan:\n- **functions wrong: 0.10 % (1 of 1000)**\n",
		"\n**README does not hold for 24.21.0: functions wrong: 0.05 % (1 of 2000)**\n",
	} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("%q is not in\n%s", want, b.String())
		}
	}
	if strings.Contains(b.String(), "24.21.0 a, ") {
		t.Errorf("a finding where there is none:\n%s", b.String())
	}
	if report(&b, []*row{good, peer}) {
		t.Error("README does not hold: the other profiler's rows must not count")
	}
}
