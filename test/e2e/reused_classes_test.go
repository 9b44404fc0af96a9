package e2e

import (
	"path/filepath"
	"slices"
	"testing"

	"github.com/hotspan/hotspan/test/draw"
	"github.com/hotspan/hotspan/test/nodes/live"
	"github.com/hotspan/hotspan/test/truth/judge"
)

// reusedClasses has stores of two hidden classes in turn, which differ in the order of their properties alone. Before
// each, all garbage is collected so often that V8 gives up the class of the one before, and the next class may come to
// its address.
const reusedClasses = `
const storage = new (require('async_hooks').AsyncLocalStorage)();
const makers = [
  'return { endpoint: "endpoint", tenant: "tenant" }',
  'return { tenant: "tenant", endpoint: "endpoint" }',
];
function held(end) { while (performance.now() < end); }
function next(i) {
  for (let n = 0; n < 8; n++) gc();
  storage.run(new Function(makers[i % 2])(), () => held(performance.now() + 12));
  if (process.uptime() < 12) setTimeout(next, 1, i + 1);
}
setTimeout(next, 500, 0);
`

// TestReusedClasses: where a property is, as known of a hidden class, does not count for a later one at its address.
func TestReusedClasses(t *testing.T) {
	t.Parallel()
	draw.Quarter(t, seldom)
	for _, version := range []string{"20.20.2", "24.21.0", "26.10.0"} {
		t.Run(version, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "out.jsonl")
			r := run(t, "record", "-F", "499", "--label", "endpoint=endpoint", "--label", "tenant=tenant", "-o", file,
				"--", live.Binary(t, version), "--expose-gc", "-e", reusedClasses)
			t.Logf("%s", r.Stderr)
			var labelled judge.Share
			for _, s := range readSamples(t, file) {
				if !slices.ContainsFunc(s.JS(), func(f judge.Frame) bool { return f.F == "held" }) {
					continue
				}
				labelled.Count(len(s.Labels) == 2)
				for label, value := range s.Labels {
					if value != label {
						t.Errorf("%s is %v", label, value)
					}
				}
			}
			atLeast(t, labelled, "samples with both labels", 95, 50)
		})
	}
}
