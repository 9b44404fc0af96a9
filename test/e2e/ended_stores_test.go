package e2e

import (
	"path/filepath"
	"testing"

	"github.com/hotspan/hotspan/test/nodes/live"
	"github.com/hotspan/hotspan/test/truth/judge"
)

// endedStores has one store that is current, behind 500 AsyncLocalStorages whose run() has ended, and then false in the
// last of them.
const endedStores = `
const { AsyncLocalStorage } = require('async_hooks');
const ended = [];
for (let i = 0; i < 500; i++) ended.push(new AsyncLocalStorage());
for (const storage of ended) storage.run({}, () => {});
function held(end) { while (Date.now() < end); }
function late(end) { while (Date.now() < end); }
setTimeout(() => new AsyncLocalStorage().run({ job: 'current' }, () => held(Date.now() + 1000)), 300);
setTimeout(() => ended[499].run(false, () => late(Date.now() + 1000)), 1500);
`

// TestEndedStores: stores that have ended do not hide the one that is current, where V8 keeps them.
func TestEndedStores(t *testing.T) {
	t.Parallel()
	for _, version := range []string{"24.21.0", "26.10.0"} {
		t.Run(version, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "out.jsonl")
			r := run(t, "record", "-F", "499", "--label", "job=job", "--label", "job=store", "-o", file, "--",
				live.Binary(t, version), "-e", endedStores)
			t.Logf("%s", r.Stderr)
			var held, late judge.Share
			for _, s := range readSamples(t, file) {
				if len(s.JS()) == 0 {
					continue
				}
				switch s.JS()[0].F {
				case "held":
					held.Count(s.Labels["job"] == "current")
				case "late":
					late.Count(s.Labels["job"] == "false")
				}
			}
			atLeast(t, held, "samples with a store behind 500 that have ended", 95, 50)
			atLeast(t, late, "samples with false as store", 95, 50)
		})
	}
}
