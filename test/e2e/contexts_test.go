package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/hotspan/hotspan/test/nodes"
)

// contextsProgram keeps stores of each kind in its main thread, and others in a worker.
const contextsProgram = `
const { AsyncLocalStorage } = require('async_hooks');
const { Worker, isMainThread } = require('worker_threads');
const app = new AsyncLocalStorage({ name: 'app' }), job = new AsyncLocalStorage({ name: 'job' });
const spin = (ms) => { const end = Date.now() + ms; while (Date.now() < end); };
const dictionary = { gone: 1, region: 'eu' };
delete dictionary.gone;
const user = { tenant: 'acme', id: 41 };
const store = isMainThread ? { user, premium: true, 'odd key': 0.5, dictionary } : { worker: 'yes' };
const map = new Map([['tenant', 'globex'], [Symbol.for('trace'), { id: 't-1' }]]);
const run = () => { app.run(store, () => isMainThread ? job.run(map, () => spin(20)) : spin(20)); setTimeout(run, 5); };
if (isMainThread) new Worker(__filename);
run();
`

// TestContexts: contexts shows the stores that a process keeps, and record accepts the rules that it prints.
func TestContexts(t *testing.T) {
	t.Parallel()
	for _, version := range []string{"24.21.0", "26.10.0"} {
		t.Run(version, func(t *testing.T) {
			node, err := nodes.Path(version)
			if err != nil {
				t.Fatal(err)
			}
			script := filepath.Join(t.TempDir(), "contexts.js")
			if err := os.WriteFile(script, []byte(contextsProgram), 0o600); err != nil {
				t.Fatal(err)
			}
			c := command(t, node, script)
			pid := strconv.Itoa(c.Process.Pid)
			text := untilContexts(t, pid)
			for _, want := range []string{
				"MainThread: looked at", "WorkerThread: looked at", `AsyncLocalStorage "app", seen`,
				`AsyncLocalStorage "job", seen`,
				`    user.tenant                      "acme"`, `    user.id                          41`,
				`    premium                          true`,
				`    ["odd key"]                      0.5`, `    dictionary.region                "eu"`,
				`    get("tenant")                    "globex"`,
				`    get(Symbol.for("trace")).id      "t-1"`, `    worker                           "yes"`,
				`--label tenant=user.tenant --label user.id=user.id --label premium=premium`,
				`--label 'tenant=get("tenant")' --label 'trace.id=get(Symbol.for("trace")).id'`,
			} {
				if !strings.Contains(text, want) {
					t.Errorf("%s is missing in:\n%s", want, text)
				}
			}
			out, err := exec.Command(hotspan, "contexts", "-p", pid, "-d", "300ms", "--label",
				`t=get(Symbol.for("trace")).id`).CombinedOutput()
			if err != nil || !strings.Contains(string(out), "makes the labels t\n") {
				t.Errorf("%v:\n%s", err, out)
			}
		})
	}
}

// untilContexts runs contexts, longer each time, until it shows a store in both threads: a process that starts has
// none, and on a busy machine a thread may not run for a while.
func untilContexts(t *testing.T, pid string) string {
	t.Helper()
	var out []byte
	for d := 500 * time.Millisecond; d < 10*time.Second; d += d / 2 {
		var err error
		out, err = exec.Command(hotspan, "contexts", "-p", pid, "-d", d.String()).CombinedOutput()
		if err == nil && strings.Contains(string(out), "globex") && strings.Contains(string(out), "worker ") {
			break
		}
		time.Sleep(100 * time.Millisecond)
	}
	return string(out)
}
