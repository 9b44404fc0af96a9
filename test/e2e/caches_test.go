package e2e

import (
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/hotspan/hotspan/test/nodes/live"
)

// storesProgram runs in stores, which Node.js 20 has in async_hooks, and in a script that names a source map.
const storesProgram = `
const { AsyncLocalStorage } = require('async_hooks');
const vm = require('vm');
globalThis.access = () => require('fs').existsSync('/'); // into the kernel
process.stdin.on('end', process.exit).resume();
const map = Buffer.from('{"version":3,"sources":["/src/a.ts"],"mappings":"AAAA"}').toString('base64');
const spin = vm.runInThisContext(
  '(function spin() { for (const end = Date.now() + 20; Date.now() < end;) access(); })\n' +
  '//# sourceMappingURL=data:application/json;base64,' + map, '/none/a.js');
const app = new AsyncLocalStorage();
const run = () => { app.run({ tenant: 'acme' }, spin); setTimeout(run, 5); };
run();
console.error('ready');
`

// TestCaches: with -v the size of each cache is said at the end. It follows what was read of the process.
func TestCaches(t *testing.T) {
	t.Parallel()
	stores, plain := cachesAfter(t, "20.20.2", storesProgram), cachesAfter(t, "24.21.0", `
		process.stdin.on('end', process.exit).resume();
		const access = () => require('node:fs').existsSync('/'); // into the kernel
		const run = () => { for (const end = Date.now() + 20; Date.now() < end;) access(); setTimeout(run, 5); };
		run();
		console.error('ready');`)
	for _, name := range []string{"executables", "unwind rows", "symbols", "kernel symbols", "named stacks", "code",
		"compared binaries"} {
		if stores[name] == 0 || plain[name] == 0 {
			t.Errorf("%s: %d and %d", name, stores[name], plain[name])
		}
	}
	for _, name := range []string{"sets of labels", "shapes", "scripts with source maps", "source maps",
		"bytes of these"} {
		if n, ok := plain[name]; stores[name] == 0 || n != 0 || !ok {
			t.Errorf("%s: %d, and %d without stores and source maps", name, stores[name], n)
		}
	}
}

// cachesAfter records a program, and returns the sizes of the caches by their names.
func cachesAfter(t *testing.T, version, code string) map[string]int {
	t.Helper()
	script := filepath.Join(t.TempDir(), "program.js")
	if err := os.WriteFile(script, []byte(code), 0o600); err != nil {
		t.Fatal(err)
	}
	p := live.Start(t, version, script)
	r := run(t, "record", "-v", "-p", strconv.Itoa(p.PID), "-d", "3s", "--label", "tenant=tenant", "-o",
		filepath.Join(t.TempDir(), "out.jsonl"))
	_, line, ok := strings.Cut(r.Stderr, "kept in caches at the end")
	if !ok {
		t.Fatalf("no line: %s", r.Stderr)
	}
	line, _, _ = strings.Cut(line, "\n")
	out := map[string]int{}
	for _, m := range regexp.MustCompile(`([a-z][a-z ]*) (\d+)`).FindAllStringSubmatch(line, -1) {
		out[m[1]], _ = strconv.Atoi(m[2])
	}
	t.Log(line)
	return out
}
