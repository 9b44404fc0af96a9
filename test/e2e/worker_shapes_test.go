package e2e

import (
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/hotspan/hotspan/test/draw"
	"github.com/hotspan/hotspan/test/truth/judge"
)

// TestWorkerShapes: where a property is, as known of a hidden class, does not count for one at its address in the
// isolate of a later worker thread.
func TestWorkerShapes(t *testing.T) {
	draw.Quarter(t, seldom)
	t.Parallel()
	eachNode(t, func(t *testing.T, node string) {
		const enough = 200
		var labelled judge.Share
		untilEnough(t, func(times int) bool {
			file := filepath.Join(t.TempDir(), "out.jsonl")
			r := run(t, "record", "-F", "199", "-o", file, "--label", "endpoint=endpoint", "--label", "tenant=tenant",
				"--", node, "../programs/worker_shapes.js", strconv.Itoa(80*times))
			t.Logf("%s", r.Stderr)
			labelled = compareShapes(t, readSamples(t, file))
			return labelled.Whole >= enough
		})
		atLeast(t, labelled, "samples in requests with both labels", 90, enough)
	})
}

// compareShapes fails the test if a label has the value of another property. It returns how many samples have both.
func compareShapes(t *testing.T, samples []judge.Sample) (labelled judge.Share) {
	t.Helper()
	wrong := map[string]int{}
	for _, s := range samples {
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
	return labelled
}
