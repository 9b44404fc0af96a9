package tables

import (
	"strings"
	"testing"

	"github.com/hotspan/hotspan/pprofx/report"
)

// TestFrom: the application's call is named where a function is Node's or a package's.
func TestFrom(t *testing.T) {
	at := func(samples int64) *report.Place {
		return &report.Place{Name: "revision", File: "/srv/app/git.js", Line: 6, Samples: samples}
	}
	for name, c := range map[string]struct {
		from *report.Place
		want string
	}{
		"all":         {at(96), "…/child_process:9, from revision app/git.js:6"},
		"most":        {at(60), "…/child_process:9, 60 % from revision app/git.js:6"},
		"few":         {at(24), "…/child_process:9"},
		"application": {nil, "…/child_process:9"},
	} {
		var out strings.Builder
		Print(&out, &report.Report{Period: 1e7, Samples: 100, Functions: []report.Function{
			{Name: "spawnSync", File: "node:internal/child_process", Line: 9, Own: 100, Total: 100, From: c.from},
		}}, "", 5)
		_, line, _ := strings.Cut(out.String(), "spawnSync ")
		line, _, _ = strings.Cut(strings.TrimLeft(line, " "), "\n")
		if want := strings.Replace(c.want, "…", "node:internal", 1); line != want {
			t.Errorf("%s: %q, want %q", name, line, want)
		}
	}
}

// TestPathOnly: how much of the samples without a route is in requests is said if it is worth a word.
func TestPathOnly(t *testing.T) {
	for samples, want := range map[int64]string{0: "", 4: "", 5: "  50 ms of (no route) in requests whose route"} {
		var out strings.Builder
		Print(&out, &report.Report{
			Period: 1e7, Samples: 100, PathOnly: samples,
			Routes: []report.Group{{Samples: 20}, {Name: "/a", Samples: 80}},
		}, "", 5)
		if got := out.String(); !strings.Contains(got, want) || strings.Contains(got, "of (no route)") != (want != "") {
			t.Errorf("%d samples: %s", samples, &out)
		}
	}
}

// TestStalls: a line has the application's last function, and says where the thread was on a CPU for a short time only.
func TestStalls(t *testing.T) {
	app := report.Place{Name: "load", File: "/srv/app/git.js"}
	node := report.Place{Name: "spawnSync", File: "node:child"}
	lodash := report.Place{Name: "merge", File: "/srv/node_modules/lodash/lodash.js"}
	for name, c := range map[string]struct {
		path    []report.Place
		samples int64
		want    string
	}{
		"near":       {[]report.Place{node, app, node, node}, 9, "load › spawnSync › spawnSync (node:child)"},
		"far":        {[]report.Place{app, node, node, lodash}, 9, "load (app/git.js) › … › merge (lodash/lodash.js)"},
		"none":       {[]report.Place{node, lodash, node, node}, 9, "merge › spawnSync › spawnSync (node:child)"},
		"short":      {[]report.Place{app}, 9, "load (app/git.js)"},
		"half a CPU": {[]report.Place{app}, 5, "load (app/git.js)"},
		"no CPU":     {[]report.Place{app}, 4, "load (app/git.js), on a CPU for 40 ms"},
	} {
		var out strings.Builder
		printStalls(&out, &report.Report{Period: 1e7, Loops: 1, Stalls: []report.Stall{
			{Length: 1e8, Samples: c.samples, Path: c.path},
		}}, "", 5)
		if got := out.String(); !strings.HasSuffix(got, "  "+c.want+"\n") {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}
