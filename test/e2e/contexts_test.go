package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/hotspan/hotspan/test/draw"
	"github.com/hotspan/hotspan/test/nodes/live"
)

// contextsProgram keeps stores of each kind in its main thread, and others in a worker. It is ready when both have run
// with theirs.
const contextsProgram = `
const { AsyncLocalStorage } = require('async_hooks');
const { Worker, isMainThread } = require('worker_threads');
const app = new AsyncLocalStorage({ name: 'app' }), job = new AsyncLocalStorage({ name: 'job' });
const spin = (ms) => { const end = Date.now() + ms; while (Date.now() < end); };
const dictionary = { gone: 1, region: 'eu' };
delete dictionary.gone;
const user = { tenant: 'acme', id: 41 };
const wide = Array.from({ length: 50 }, (_, i) => 'p' + i + ': ' + i);
const event = { route: { id: '/items/[id]' } };
const store = isMainThread ? { user, premium: true, 'odd key': 0.5, dictionary, event } :
  Function('return { worker: "yes", a: { b: { c: 1 } }, ' + wide + '}')();
const map = new Map([['tenant', 'globex'], [Symbol.for('trace'), { id: 't-1' }]]);
const run = () => { app.run(store, () => isMainThread ? job.run(map, () => spin(20)) : spin(20)); setTimeout(run, 5); };
if (isMainThread) {
  process.stdin.on('end', process.exit).resume();
  new Worker(__filename).once('message', () => console.error('ready'));
}
run();
if (!isMainThread) require('worker_threads').parentPort.postMessage('ready');
`

// TestContexts: contexts shows the stores that a process keeps, and record accepts the rules that it prints.
func TestContexts(t *testing.T) {
	t.Parallel()
	for _, version := range []string{"24.21.0", "26.10.0"} {
		t.Run(version, func(t *testing.T) {
			script := filepath.Join(t.TempDir(), "contexts.js")
			if err := os.WriteFile(script, []byte(contextsProgram), 0o600); err != nil {
				t.Fatal(err)
			}
			pid := strconv.Itoa(live.Start(t, version, script).PID)
			all, err := exec.Command(hotspan, "contexts", "-p", pid).CombinedOutput()
			text := string(all)
			if err != nil {
				t.Fatalf("%v: %s", err, text)
			}
			for _, want := range []string{
				"MainThread: looked at", "WorkerThread: looked at", `AsyncLocalStorage "app", seen`,
				`AsyncLocalStorage "job", seen`,
				`    user.tenant                      "acme"`, `    user.id                          41`,
				`    premium                          true`,
				`    ["odd key"]                      0.5`, `    dictionary.region                "eu"`,
				`    get("tenant")                    "globex"`,
				`    get(Symbol.for("trace")).id      "t-1"`, `    worker                           "yes"`,
				"    … and 13 more, with what is in them\n    objects deeper in it are not looked at: a path",
				`--label http.route=event.route.id --label tenant=user.tenant`,
				`--label tenant=user.tenant --label user.id=user.id --label premium=premium`,
				`--label 'tenant=get("tenant")' --label 'trace.id=get(Symbol.for("trace")).id'`,
			} {
				if !strings.Contains(text, want) {
					t.Errorf("%s is missing in:\n%s", want, text)
				}
			}
			if n := strings.Count(text, "… and "); n != 1 {
				t.Errorf("%d things are said to be left out:\n%s", n, text)
			}
			out, err := exec.Command(hotspan, "contexts", "-p", pid, "-d", "300ms", "--label",
				`t=get(Symbol.for("trace")).id`).CombinedOutput()
			if err != nil || !strings.Contains(string(out), "makes the labels t\n") {
				t.Errorf("%v:\n%s", err, out)
			}
		})
	}
}

// largeProgram has two workers, and before, between and behind them array buffers of 900 MiB, small enough to fill what
// is free between libraries.
const largeProgram = `
const { Worker, isMainThread, parentPort } = require('worker_threads');
const kept = [];
const start = (n) => {
  for (let n = 0; n < 300; n++) kept.push(new ArrayBuffer(3 << 20));
  if (n === 0) return console.error('ready');
  new Worker(__filename).once('message', () => start(n - 1));
};
if (isMainThread) {
  process.stdin.on('end', process.exit).resume();
  start(2);
} else {
  parentPort.postMessage('ready');
  parentPort.on('message', () => {});
}
`

// TestContextsOfEachThread: contexts looks at all threads of a process that has mapped much memory, each time.
func TestContextsOfEachThread(t *testing.T) {
	draw.Quarter(t, seldom)
	t.Parallel()
	script := filepath.Join(t.TempDir(), "large.js")
	if err := os.WriteFile(script, []byte(largeProgram), 0o600); err != nil {
		t.Fatal(err)
	}
	for n := range 20 {
		t.Run(strconv.Itoa(n), func(t *testing.T) {
			pid := strconv.Itoa(live.Start(t, "24.21.0", script).PID)
			out, err := exec.Command(hotspan, "contexts", "-p", pid, "-d", "10ms").CombinedOutput()
			text := string(out)
			if err != nil || strings.Count(text, "MainThread:") != 1 || strings.Count(text, "WorkerThread:") != 2 {
				t.Errorf("%v, not all threads:\n%s", err, text)
			}
		})
	}
}
