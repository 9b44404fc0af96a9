package e2e

import (
	"path/filepath"
	"testing"

	"github.com/hotspan/hotspan/test/nodes/live"
	"github.com/hotspan/hotspan/test/truth/judge"
)

// twoStores has two stores with properties of one name, of which the outer one's values are of other kinds.
const twoStores = `
const { AsyncLocalStorage } = require('async_hooks');
const outer = new AsyncLocalStorage(), inner = new AsyncLocalStorage();
const long = 'outer'.padEnd(100, '.');
function held(end) { while (Date.now() < end); }
setTimeout(() => outer.run({ id: 42, name: long, only: '' },
  () => inner.run({ id: 'inner', name: 'inner', only: 'inner' }, () => held(Date.now() + 3000))), 300);
`

// TestTwoStores: of several stores with a value for one rule the first one's counts, whatever the values are. An empty
// text is no value.
func TestTwoStores(t *testing.T) {
	t.Parallel()
	for _, version := range []string{"20.20.2", "24.21.0"} {
		t.Run(version, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "out.jsonl")
			r := run(t, "record", "-F", "499", "--label", "id=id", "--label", "name=name", "--label", "only=only",
				"-o", file, "--", live.Binary(t, version), "-e", twoStores)
			t.Logf("%s", r.Stderr)
			var labelled judge.Share
			for _, s := range readSamples(t, file) {
				if len(s.JS()) == 0 || s.JS()[0].F != "held" {
					continue
				}
				labelled.Count(len(s.Labels) == 3)
				id, name := s.Labels["id"], s.Labels["name"]
				if id != nil && id != 42.0 || name == "inner" {
					t.Errorf("labels %v", s.Labels)
				}
			}
			atLeast(t, labelled, "samples with all labels", 95, 50)
		})
	}
}
