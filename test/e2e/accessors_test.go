package e2e

import (
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/hotspan/hotspan/test/draw"
	"github.com/hotspan/hotspan/test/nodes/live"
	"github.com/hotspan/hotspan/test/truth/judge"
)

// accessorStores are stores whose properties lie behind accessors, as of values that are computed when they are needed,
// in the object and out of it. V8's native code runs with each of them current.
const accessorStores = `
const lazy = { get() { return 1; }, configurable: true };
const one = { request: 1 };
Object.defineProperty(one, 'user', lazy);
const none = {};
Object.defineProperty(none, 'user', lazy);
none.tenant = undefined;
class Two {
  constructor() { Object.defineProperty(this, 'user', lazy); this.a = null; Object.defineProperty(this, 'b', lazy); }
}
const text = JSON.stringify(Array.from({ length: 2000 }, (_, i) => ({ i, text: 'text ' + i })));
const storage = new (require('async_hooks').AsyncLocalStorage)();
const stores = [one, none, new Two(), () => {}, []];
for (const store of stores) store.id = 'the id';
for (const end = Date.now() + 2500 * process.argv[1]; Date.now() < end;) {
  for (const store of stores) storage.run(store, () => JSON.parse(text));
}
`

// TestAccessorStores: V8 is seldom changing an object with accessors, whose labels are not missing for that.
func TestAccessorStores(t *testing.T) {
	t.Parallel()
	draw.Quarter(t, seldom)
	for _, version := range []string{"16.20.2", "20.20.2", "26.10.0"} {
		t.Run(version, func(t *testing.T) {
			const enough = 100
			var parsing judge.Share
			untilEnough(t, func(times int) bool {
				file := filepath.Join(t.TempDir(), "out.jsonl")
				err := exec.Command(hotspan, "record", "-F", "499", "--label", "id=id", "-o", file, "--",
					live.Binary(t, version), "-e", accessorStores, strconv.Itoa(times)).Run()
				if err != nil {
					t.Fatal(err)
				}
				learned := false // until then hotspan looks for the thread and the store, on a busy machine for long
				for _, s := range readSamples(t, file) {
					right := s.Labels["id"] == "the id"
					if learned = learned || right; learned && hasFrame(s.Stack, "v8::internal::Builtin_JsonParse") {
						parsing.Count(right)
					}
				}
				return parsing.Whole >= enough
			})
			atLeast(t, parsing, "samples in JSON.parse with a label", 95, enough)
		})
	}
}
