package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hotspan/hotspan/test/draw"
	"github.com/hotspan/hotspan/test/nodes"
	"github.com/hotspan/hotspan/test/nodes/live"
	"github.com/hotspan/hotspan/test/truth/judge"
)

// hookFlags are the flags of a Node.js to have stores in the resources of async_hooks.
func hookFlags(version string) []string { return nodes.Version{Version: version}.AsyncHooks() }

// cpuClock has programs measure what they do in milliseconds of CPU time: on a busy machine, too, there are as many
// samples.
const cpuClock = `const now = () => process.cpuUsage().user / 1000;`

// manyStores has 16 stores with a property of one name: V8 puts an object that gets more than twelve properties by keys
// that are computed into dictionary mode. Then 70 are used. A property of each object that has them was deleted.
const manyStores = cpuClock + `
const { AsyncLocalStorage, executionAsyncResource } = require('async_hooks');
const all = Array.from({ length: 70 }, () => new AsyncLocalStorage());
function held(end) { while (now() < end) for (let i = 0; i < 1e5; i++); }
function heldOfMany(end) { while (now() < end) for (let i = 0; i < 1e5; i++); }
function nest(n, i, f) { return i === n ? f() : all[i].run({ id: i }, () => nest(n, i + 1, f)); }
function change(object) {
  object.x = 1;
  delete object.x;
}
const turn = (n, f) => nest(n, 0, () => setTimeout(() => {
  const resource = executionAsyncResource();
  change(resource);
  Object.getOwnPropertySymbols(resource).map((s) => resource[s]).filter((o) => o && !o.id).forEach(change);
  f(now() + 3);
}, 1));
setTimeout(() => { for (let i = 0; i < 500; i++) turn(16, held); }, 300);
setTimeout(() => { for (let i = 0; i < 300; i++) turn(70, heldOfMany); }, 2500);
`

// TestManyStores: the first of many stores is the one that was used first, too, where the resource that has them is in
// dictionary mode, whose order is that of hashes.
func TestManyStores(t *testing.T) {
	t.Parallel()
	draw.Quarter(t, seldom)
	for _, version := range []string{"18.20.8", "20.20.2", "26.10.0"} {
		t.Run(version, func(t *testing.T) {
			labelled := heldStores(t, version, append(hookFlags(version), "-e", manyStores), 0.0)
			atLeast(t, labelled["held"], "samples with the first of 16 stores", 99, 50)
			atLeast(t, labelled["heldOfMany"], "samples with the first of 70 stores", 99, 50)
		})
	}
}

// topLevel is a module that is the main program: no callback of async_hooks runs it. So it is with what goes on from
// there.
const topLevel = `
import { AsyncLocalStorage } from 'async_hooks';
` + cpuClock + `
const storage = new AsyncLocalStorage();
function first(end) { while (now() < end) for (let i = 0; i < 1e5; i++); }
function free(end) { while (now() < end) for (let i = 0; i < 1e5; i++); }
function held(end) { while (now() < end) for (let i = 0; i < 1e5; i++); }
function heldLater(end) { while (now() < end) for (let i = 0; i < 1e5; i++); }
storage.run({ id: 7 }, () => first(now() + 300));
free(now() + 300);
storage.run({ id: 7 }, () => held(now() + 1000));
await 1;
free(now() + 300);
storage.run({ id: 7 }, () => heldLater(now() + 1000));
`

// TestTopLevelStore: a store is current also where Node.js has no resource on its stack.
func TestTopLevelStore(t *testing.T) {
	t.Parallel()
	draw.Quarter(t, seldom)
	for _, version := range []string{"18.20.8", "20.20.2", "22.23.3", "26.10.0"} {
		t.Run(version, func(t *testing.T) {
			flags := append(hookFlags(version), "--input-type=module", "-e", topLevel)
			labelled := heldStores(t, version, flags, 7.0)
			atLeast(t, labelled["held"], "samples with the store", 95, 50)
			atLeast(t, labelled["heldLater"], "samples with the store behind an await", 95, 50)
		})
	}
}

// ownStore is an AsyncLocalStorage that is its own store, behind one that was disabled.
const ownStore = cpuClock + `
const { AsyncLocalStorage } = require('async_hooks');
const other = new AsyncLocalStorage(), storage = Object.assign(new AsyncLocalStorage(), { id: 7 });
function free(end) { while (now() < end) for (let i = 0; i < 1e5; i++); }
function held(end) { while (now() < end) for (let i = 0; i < 1e5; i++); }
setTimeout(() => {
  other.enterWith({});
  other.disable();
  storage.run(storage, () => setTimeout(() => held(now() + 1000), 1));
  free(now() + 300);
}, 300);
`

// TestOwnStore: an AsyncLocalStorage may be its own store.
func TestOwnStore(t *testing.T) {
	t.Parallel()
	draw.Quarter(t, seldom)
	for _, version := range []string{"20.20.2", "24.21.0", "26.10.0"} {
		t.Run(version, func(t *testing.T) {
			labelled := heldStores(t, version, []string{"-e", ownStore}, 7.0)
			atLeast(t, labelled["held"], "samples with the store", 95, 50)
		})
	}
}

// seeded has worker threads that make the same symbols as the main thread, which has met them as keys of no store.
const seeded = cpuClock + `
const { Worker, isMainThread, workerData } = require('worker_threads');
const { AsyncLocalStorage, executionAsyncResource } = require('async_hooks');
let storage = new AsyncLocalStorage();
function mainHeld(end) { while (now() < end) for (let i = 0; i < 1e5; i++); }
function held(end) { while (now() < end) for (let i = 0; i < 1e5; i++); }
if (isMainThread) {
  let n = 0;
  const next = () => n < 13 && new Worker('./seeded.js', { workerData: n++ }).on('exit', next);
  setTimeout(() => storage.run({ id: 7 }, () => setTimeout(() => {
    for (let i = 0; i < 350; i++) executionAsyncResource()[Symbol()] = 1;
    mainHeld(now() + 500);
    next();
  }, 1)), 300);
} else {
  for (let i = 0; i < 4 * workerData; i++) storage = new AsyncLocalStorage();
  setTimeout(() => storage.run({ id: 7 }, () => held(now() + 90)), 10);
}
`

// TestSeededSymbols: what is known of symbols of one thread does not count for another's, which have the same hashes
// with --random-seed.
func TestSeededSymbols(t *testing.T) {
	t.Parallel()
	program := filepath.Join(t.TempDir(), "seeded.js")
	if err := os.WriteFile(program, []byte(strings.ReplaceAll(seeded, "./seeded.js", program)), 0o600); err != nil {
		t.Fatal(err)
	}
	labelled := heldStores(t, "20.20.2", []string{"--random-seed=7", program}, 7.0)
	atLeast(t, labelled["held"], "samples of worker threads with the store", 97, 50)
}

// heldStores profiles a program whose stores have an id, and counts by function how many of its samples have this one.
// No sample may have another, and none of the function free any.
func heldStores(t *testing.T, version string, program []string, id float64) map[string]judge.Share {
	file := filepath.Join(t.TempDir(), "out.jsonl")
	args := []string{"record", "-F", "499", "--label", "id=id", "-o", file, "--", live.Binary(t, version)}
	r := run(t, append(args, program...)...)
	t.Logf("%s", r.Stderr)
	labelled := map[string]judge.Share{}
	for _, s := range readSamples(t, file) {
		if len(s.JS()) == 0 {
			continue
		}
		function, got := s.JS()[0].F, s.Labels["id"]
		share := labelled[function]
		share.Count(got == id)
		labelled[function] = share
		if got != nil && (got != id || function == "free") {
			t.Errorf("%s: id %v", function, got)
		}
	}
	return labelled
}
