package dump

import (
	"strings"
	"testing"

	"github.com/hotspan/hotspan/pprofx"
	"github.com/hotspan/hotspan/test/nodes"
	"github.com/hotspan/hotspan/test/nodes/live"
)

// TestSlow: frames in baseline code have their lines, however long it takes to name them. It takes long on a busy
// machine, or where there are many.
func TestSlow(t *testing.T) {
	root(t)
	for _, v := range nodes.Drawn(nodes.Versions(), t.Name()) {
		t.Run(v.Version, func(t *testing.T) {
			cache = t.TempDir()
			p := live.Start(t, v.Version, "--sparkplug", "--always-sparkplug", "testdata/deep.js")
			d, err := Take(config(t, p.PID))
			if err != nil {
				t.Fatal(err)
			}
			named := 0
			for _, f := range d.Threads[0].Stack {
				if f.Kind == pprofx.JIT {
					t.Fatalf("after %d frames: %s", named, f.Function)
				}
				if strings.HasPrefix(f.Function, "deep") && f.Tier == pprofx.Sparkplug && f.Line > 0 {
					named++
				}
			}
			if named < 700 {
				t.Errorf("%d of 901 frames have their lines, of %d in all", named, len(d.Threads[0].Stack))
			}
		})
	}
}
