package e2e

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hotspan/hotspan/test/truth/judge"
)

// TestWorkerShapes: where a property is, as known of a hidden class, does not count for one at its address in the
// isolate of a later worker thread.
func TestWorkerShapes(t *testing.T) {
	t.Parallel()
	eachNode(t, func(t *testing.T, node string) {
		file := filepath.Join(t.TempDir(), "out.jsonl")
		r := run(t, "record", "-F", "199", "-o", file, "--label", "endpoint=endpoint", "--label", "tenant=tenant", "--",
			node, "../programs/worker_shapes.js", "80")
		t.Logf("%s", r.Stderr)
		var labelled judge.Share
		wrong := map[string]int{}
		for _, s := range readSamples(t, file) {
			js := s.JS()
			if s.TID == s.PID || len(js) == 0 || filepath.Base(js[0].File) != "worker_shapes.js" {
				continue
			}
			labelled.Count(len(s.Labels) == 2)
			for label, value := range s.Labels {
				if !strings.HasPrefix(fmt.Sprint(value), label+" ") {
					wrong[fmt.Sprintf("%s=%v", label, value)]++
				}
			}
		}
		if len(wrong) > 0 {
			t.Errorf("labels of other properties, by how many samples: %v", wrong)
		}
		atLeast(t, labelled, "samples in requests with both labels", 90, 200)
	})
}
