package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/hotspan/hotspan/test/draw"
	"github.com/hotspan/hotspan/test/truth/judge"
)

// watched runs the script, and notes which build it is of.
const watched = `
	const run = require('./x.js')
	require('fs').appendFileSync('builds', process.pid + ' ' + run.toString().match(/i=(\d)/)[1] + '\n')
	setInterval(() => { const end = Date.now() + 40; while (Date.now() < end) run(1e5) }, 50)`

// TestWatch: node --watch starts the service again as soon as the script changes, while the build goes on. No process
// has a name from a map of another build, and those of whole builds have theirs.
func TestWatch(t *testing.T) {
	draw.Quarter(t, seldom)
	t.Parallel()
	dir := t.TempDir()
	writeBuild(t, dir, "x.js 1")
	writeBuild(t, dir, "x.js.map 1")
	main := filepath.Join(dir, "main.js")
	if err := os.WriteFile(main, []byte(watched), 0o600); err != nil {
		t.Fatal(err)
	}
	c := exec.Command(node24(t), "--watch", main)
	c.Dir = dir
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Process.Signal(os.Interrupt); c.Wait() })
	out := filepath.Join(dir, "out.jsonl")
	r := exec.Command(hotspan, "record", "--name", main, "-d", "36s", "-o", out)
	log := new(buffer)
	r.Stderr = log
	if err := r.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Process.Kill() })
	for _, step := range []struct {
		after time.Duration
		file  string
	}{
		{8 * time.Second, "x.js 2"}, {4 * time.Second, "x.js.map 2"}, // starts again before its map is there
		{4 * time.Second, "x.js.map 3"}, {4 * time.Second, "x.js 3"}, // a map of the next build for a while
		{4 * time.Second, "x.js.map 4"}, {0, "x.js 4"},
	} {
		time.Sleep(step.after)
		writeBuild(t, dir, step.file)
	}
	if err := r.Wait(); err != nil {
		t.Fatalf("%v: %s", err, log)
	}
	names := namesOfBuilds(t, dir, readSamples(t, out))
	for build := 1; build <= 4; build++ {
		own := "build" + strconv.Itoa(build)
		for name, n := range names[build] {
			if name != own && name != "e" {
				t.Errorf("build %d has %s in %d samples: %s", build, name, n, log)
			}
		}
		if whole := build == 1 || build == 4; whole && names[build][own] < 20 { // of 800; a busy machine has few
			t.Errorf("build %d: %v: %s", build, names[build], log)
		}
	}
	t.Log(names)
}

// namesOfBuilds counts the names of the script's function in the processes of each build.
func namesOfBuilds(t *testing.T, dir string, samples []judge.Sample) map[int]map[string]int {
	t.Helper()
	noted, err := os.ReadFile(filepath.Join(dir, "builds"))
	if err != nil {
		t.Fatal(err)
	}
	names := map[int]map[string]int{}
	for line := range strings.Lines(string(noted)) {
		pid, build, _ := strings.Cut(strings.TrimSpace(line), " ")
		n, err := strconv.Atoi(build)
		if err != nil {
			t.Fatal(err)
		}
		var own []judge.Sample
		for _, s := range samples {
			if strconv.Itoa(s.PID) == pid {
				own = append(own, s)
			}
		}
		names[n] = buildNames(own, dir)
	}
	return names
}
