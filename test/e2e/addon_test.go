package e2e

import (
	"path/filepath"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/hotspan/hotspan/test/draw"
	"github.com/hotspan/hotspan/test/nodes"
	"github.com/hotspan/hotspan/test/npm"
	"github.com/hotspan/hotspan/test/truth"
)

// addonRun is a way to run addon.js with the installed npm package.
type addonRun struct {
	version string
	frame   bool // with AsyncContextFrame: records are published; else texts
	mode    string
	thread  string
}

// addonRuns are those without -all, which runs each mode and thread.
var addonRuns = []addonRun{
	{"18.20.8", false, "plain", "worker"},
	{"20.20.2", false, "gc", "main"},
	{"22.23.3", false, "plain", "main"},
	{"22.23.3", true, "gc", "worker"},
	{"24.21.0", true, "gc", "main"},
	{"25.9.0", true, "plain", "worker"},
	{"26.10.0", true, "gc", "main"},
}

// form is how the package publishes contexts.
func (r addonRun) form() string {
	if r.frame {
		return "record"
	}
	return "text"
}

// limits returns how long to record a run, and the percentage of the samples in request code that must have their
// labels. (Of 128,357 samples with records all had them.) Where async_hooks keep the stores, hidden classes are learned
// first: on a busy machine that takes most of a second.
func (r addonRun) limits() (time.Duration, float64) {
	switch {
	case !r.frame:
		return max(allFor(), publishedFor(), 5*time.Second), 93
	case *all:
		return allFor(), 99.5
	}
	return publishedFor(), 99.5
}

// allFor is how long to record each run with -all: enough for allEnough.
func allFor() time.Duration {
	if *all {
		return 27 * time.Second
	}
	return 0
}

// allEnough is the number of samples in request code that each run must have with -all: 50,000 in the four of a version
// and form.
const allEnough = 12500

// addonLabels returns the labels of a request of addon.js.
func addonLabels(l *truth.Label) map[string]any {
	want := publishedLabels(l)
	want["premium"] = strconv.FormatBool(l.Premium)
	return want
}

// TestAddon: contexts that the npm package hotspan has, on each major version of Node.js that it supports.
func TestAddon(t *testing.T) {
	draw.Quarter(t, seldom)
	t.Parallel()
	app, err := npm.App("../..")
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range addonRuns {
		modes, threads := []string{r.mode}, []string{r.thread}
		if *all {
			modes, threads = []string{"plain", "gc"}, []string{"main", "worker"}
		}
		length, percent := r.limits()
		for _, mode := range modes {
			for _, thread := range threads {
				t.Run(r.version+"/"+r.form()+"/"+mode+"/"+thread, func(t *testing.T) {
					node, err := nodes.Path(r.version)
					if err != nil {
						t.Fatal(err)
					}
					var flags []string
					if r.frame {
						flags, _ = versionOf(node).AsyncContextFrame()
					}
					if mode == "gc" {
						flags = append(slices.Clone(flags), collecting...)
					}
					p := start(t, node, "addon.js", flags, []string{"MODE=" + mode, "THREAD=" + thread,
						"HOTSPAN=" + filepath.Join(app, "node_modules/hotspan"), "FORM=" + r.form()})
					enough := int(length.Seconds() * 30)
					if *all {
						enough = allEnough
					}
					samples := recordEnough(t, p.PID, 1997, 3*enough, length)
					compareLabels(t, samples, p.truth(t), addonLabels, bound{percent, enough})
				})
			}
		}
	}
}

// TestAddonRegister is TestExpress with only the labels that the npm package takes from OpenTelemetry: of what is not
// published, nothing is read.
func TestAddonRegister(t *testing.T) {
	draw.Quarter(t, seldom)
	t.Parallel()
	app, err := npm.App("../..")
	if err != nil {
		t.Fatal(err)
	}
	register := []string{"--require", filepath.Join(app, "node_modules/hotspan/lib/register.js")}
	eachFrameNode(t, func(t *testing.T, node string, flags []string) {
		if *all || versionOf(node).Major() == 24 {
			testExpress(t, node, slices.Concat(flags, register), "--labels", "none")
		}
	})
}

// TestAddonBeside: contexts of the package and of @datadog/pprof in one process, which has one process context.
func TestAddonBeside(t *testing.T) {
	draw.Quarter(t, seldom)
	t.Parallel()
	app, err := npm.App("../..")
	if err != nil {
		t.Fatal(err)
	}
	eachFrameNode(t, func(t *testing.T, node string, flags []string) {
		p := start(t, node, "addon_beside.js", flags, []string{"PUBLISH_ADDON=" + addon(t, node, "publish.c"),
			"HOTSPAN=" + filepath.Join(app, "node_modules/hotspan")})
		d := publishedFor()
		enough := int(d.Seconds() * 30)
		samples := recordEnough(t, p.PID, 997, 3*enough, d)
		compareLabels(t, samples, p.truth(t), func(l *truth.Label) map[string]any {
			want := publishedLabels(l)
			delete(want, "user")
			return want
		}, bound{99.5, enough})
	})
}
