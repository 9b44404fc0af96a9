package e2e

import (
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/hotspan/hotspan/test/draw"
	"github.com/hotspan/hotspan/test/nodes"
	"github.com/hotspan/hotspan/test/npm"
	"github.com/hotspan/hotspan/test/truth"
)

// TestSession: in a profile that a process takes of itself by the npm package, each sample names the very value whose
// context ran, and snapshots follow each other without a gap (which the program checks).
func TestSession(t *testing.T) {
	draw.Quarter(t, seldom)
	t.Parallel()
	app, err := npm.App("../..")
	if err != nil {
		t.Fatal(err)
	}
	form := map[bool]string{true: "record", false: "text"}
	a := startAgent(t, "--name", "no process has this name")
	for _, r := range addonRuns {
		if !*all && r.version != "20.20.2" && r.version != "24.21.0" && r.version != "25.9.0" {
			continue
		}
		t.Run(r.version+"/"+form[r.frame]+"/"+r.mode+"/"+r.thread, func(t *testing.T) {
			node, err := nodes.Path(r.version)
			if err != nil {
				t.Fatal(err)
			}
			var flags []string
			if r.frame {
				flags, _ = versionOf(node).AsyncContextFrame()
			}
			if r.mode == "gc" {
				flags = append(slices.Clone(flags), collecting...)
			}
			out := filepath.Join(t.TempDir(), "samples.jsonl")
			p := start(t, node, "addon.js", flags, []string{"MODE=" + r.mode, "THREAD=" + r.thread,
				"SESSION=" + a.socket, "SAMPLES=" + out, "FORM=" + form[r.frame],
				"HOTSPAN=" + filepath.Join(app, "node_modules/hotspan")})
			length, percent := r.limits()
			time.Sleep(length)
			const enough = 3 * time.Second
			until(t, func() bool { return cpuOf(t, p.PID) >= enough }, func() string { return "too little CPU time" })
			l := p.truth(t)
			compareLabels(t, readSamples(t, out), l, func(l *truth.Label) map[string]any {
				return map[string]any{"trace_id": l.TraceID, "span_id": l.SpanID}
			}, bound{percent, 200})
		})
	}
	a.stop(t)
}
