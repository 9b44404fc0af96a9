package e2e

import (
	"encoding/json"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/hotspan/hotspan/test/draw"
	"github.com/hotspan/hotspan/test/nodes/live"
	"github.com/hotspan/hotspan/test/truth/judge"
)

// currentStore has a boolean as store, and none, in turn.
const currentStore = `
const storage = new (require('async_hooks').AsyncLocalStorage)();
function held(end) { while (Date.now() < end); }
function free(end) { while (Date.now() < end); }
setTimeout(() => {
  for (const end = Date.now() + 1500; Date.now() < end;) {
    storage.run(true, () => held(Date.now() + 20));
    free(Date.now() + 20);
  }
}, 300);
`

// TestCurrentStore: true is a store, and undefined is none, wherever Node keeps them. After run(), an AsyncContextFrame
// has undefined for the AsyncLocalStorage.
func TestCurrentStore(t *testing.T) {
	t.Parallel()
	draw.Quarter(t, seldom)
	for _, version := range []string{"16.20.2", "20.20.2", "24.21.0", "26.10.0"} {
		t.Run(version, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "out.jsonl")
			out, err := exec.Command(hotspan, "record", "--json", "-F", "499", "--label", "job=store", "-o", file, "--",
				live.Binary(t, version), "-e", currentStore).Output()
			if err != nil {
				t.Fatal(err)
			}
			var account struct{ InRequests, Labelled int }
			if err := json.Unmarshal(out, &account); err != nil {
				t.Fatalf("%v: %s", err, out)
			}
			var held, free judge.Share
			for _, s := range readSamples(t, file) {
				if len(s.JS()) == 0 {
					continue
				}
				switch s.JS()[0].F {
				case "held":
					held.Count(s.Labels["job"] == "true")
				case "free":
					free.Count(len(s.Labels) == 0)
				}
			}
			atLeast(t, held, "samples with true as store", 95, 50)
			atLeast(t, free, "samples without a store that have no label", 100, 50)
			atLeast(t, judge.Share{Part: account.Labelled, Whole: account.InRequests}, "of those in requests", 90, 50)
		})
	}
}
