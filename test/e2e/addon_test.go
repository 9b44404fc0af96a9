package e2e

import (
	"path/filepath"
	"slices"
	"strconv"
	"testing"
	"time"

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
	percent float64 // of the samples in request code that must have their labels
}

// addonRuns are those without -all, which runs each mode and thread. Where async_hooks keep the stores, hidden classes
// are learned while the test runs.
var addonRuns = []addonRun{
	{"18.20.8", false, "plain", "worker", 98},
	{"20.20.2", false, "gc", "main", 98},
	{"22.23.3", false, "plain", "main", 98},
	{"22.23.3", true, "gc", "worker", 99.5},
	{"24.21.0", true, "gc", "main", 99.5},
	{"25.9.0", true, "plain", "worker", 99.5},
	{"26.10.0", true, "gc", "main", 99.5},
}

// addonLabels returns the labels of a request of addon.js.
func addonLabels(l *truth.Label) map[string]any {
	want := publishedLabels(l)
	want["premium"] = strconv.FormatBool(l.Premium)
	return want
}

// TestAddon: contexts that the npm package hotspan has, on each major version of Node.js that it supports.
func TestAddon(t *testing.T) {
	app, err := npm.App("../..")
	if err != nil {
		t.Fatal(err)
	}
	form := map[bool]string{true: "record", false: "text"}
	for _, r := range addonRuns {
		modes, threads, length := []string{r.mode}, []string{r.thread}, publishedFor()
		if *all {
			modes, threads, length = []string{"plain", "gc"}, []string{"main", "worker"}, 14*time.Second
		}
		for _, mode := range modes {
			for _, thread := range threads {
				t.Run(r.version+"/"+form[r.frame]+"/"+mode+"/"+thread, func(t *testing.T) {
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
						"HOTSPAN=" + filepath.Join(app, "node_modules/hotspan"), "FORM=" + form[r.frame]})
					enough := int(length.Seconds() * 30)
					samples := recordEnough(t, p.PID, 1997, 3*enough, length)
					compareLabels(t, samples, p.truth(t), addonLabels, bound{r.percent, enough})
				})
			}
		}
	}
}
