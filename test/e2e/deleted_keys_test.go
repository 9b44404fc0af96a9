package e2e

import (
	"path/filepath"
	"testing"

	"github.com/hotspan/hotspan/test/nodes/live"
	"github.com/hotspan/hotspan/test/truth/judge"
)

// deletedKeys has stores that are Maps from which a key was deleted, as in contexts of OpenTelemetry. V8 keeps its
// entry, and in some of them a bucket refers to that.
const deletedKeys = `
const { AsyncLocalStorage } = require('async_hooks');
const storage = new AsyncLocalStorage();
const text = JSON.stringify(Array(1000).fill({ a: 1 }));
function held(end) { while (Date.now() < end) for (let i = 0; i < 50; i++) JSON.parse(text); }
setTimeout(() => {
  for (let i = 0; i < 64; i++) {
    const store = new Map([['job', 'current'], ['deleted' + i, i]]);
    store.delete('deleted' + i);
    storage.run(store, () => held(Date.now() + 25));
  }
}, 300);
`

// TestDeletedKeys: a Map from which a key was deleted is not one that V8 is copying, also while C++ runs.
func TestDeletedKeys(t *testing.T) {
	t.Parallel()
	for _, version := range []string{"20.20.2", "26.10.0"} {
		t.Run(version, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "out.jsonl")
			r := run(t, "record", "-F", "997", "--label", `job=get("never")`, "--label", `job=get("job")`,
				"-o", file, "--", live.Binary(t, version), "-e", deletedKeys)
			t.Logf("%s", r.Stderr)
			var held judge.Share
			for _, s := range readSamples(t, file) {
				if len(s.JS()) > 0 && s.JS()[0].F == "held" {
					held.Count(s.Labels["job"] == "current")
				}
			}
			atLeast(t, held, "samples with the label of a Map", 95, 100)
		})
	}
}
