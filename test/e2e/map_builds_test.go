package e2e

import (
	"fmt"
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

// TestMapOfAnotherBuild: while a build writes a script and its map one after the other, what runs may have those of two
// builds beside each other. No name is from a map of another build, and that of its own is used once it is there.
func TestMapOfAnotherBuild(t *testing.T) {
	draw.Quarter(t, seldom)
	t.Parallel()
	for _, c := range []struct {
		name   string
		before []string // that the build has written when the service starts
		after  string   // that it writes while hotspan looks
		runs   string
		want   string // the function
	}{
		{"the map comes first", []string{"x.js 1", "x.js.map 2"}, "x.js 2", "1", "e"},
		{"the script comes first", []string{"x.js.map 1", "x.js 2"}, "x.js.map 2", "2", "build2"},
		{"there was no map", []string{"x.js 2"}, "x.js.map 2", "2", "build2"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			for _, file := range c.before {
				writeBuild(t, dir, file)
			}
			names := buildNames(recordBuild(t, dir, func() { writeBuild(t, dir, c.after) }), dir)
			if names[c.want] < 100 || len(names) != 1 {
				t.Errorf("build %s runs: %v, want %s", c.runs, names, c.want)
			}
		})
	}
}

// writeBuild writes a file of a build, such as "x.js 1". In the map the function is called by the build.
func writeBuild(t *testing.T, dir, file string) {
	t.Helper()
	name, build, _ := strings.Cut(file, " ")
	text := fmt.Sprintf("module.exports=function e(n){let i=%s;while(i<n)i+=1;return i}\n"+
		"//# sourceMappingURL=x.js.map\n", build)
	if name == "x.js.map" { // column 24 is the name
		text = fmt.Sprintf(`{"version":3,"sources":["%s.ts"],"names":["build%[1]s"],"mappings":"AAAA,wBAAAA"}`, build)
	}
	if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// touch changes the times of all files of a build, as if they were written.
func touch(t *testing.T, dir string) {
	t.Helper()
	files, _ := filepath.Glob(filepath.Join(dir, "x.js*"))
	for _, file := range files {
		if err := os.Chtimes(file, time.Time{}, time.Now()); err != nil {
			t.Fatal(err)
		}
	}
}

// runBuild starts a service that runs the script, and returns its pid.
func runBuild(t *testing.T, dir string) int {
	t.Helper()
	c := exec.Command(node24(t), "-e", "const run = require('./x.js'); for (;;) run(1e6)")
	c.Dir = dir
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Process.Kill(); c.Wait() })
	return c.Process.Pid
}

// buildNames counts the names that frames of the build's files have.
func buildNames(samples []judge.Sample, dir string) map[string]int {
	names := map[string]int{}
	for _, s := range samples {
		for _, f := range s.JS() {
			if strings.HasPrefix(f.File, dir) && f.F != "(anonymous)" {
				names[f.F]++
			}
		}
	}
	return names
}

// recordBuild runs the script, and does something soon after hotspan has met it. Until then the build goes on: where
// the machine is busy that takes seconds, after which a build that does nothing is taken to be whole.
func recordBuild(t *testing.T, dir string, then func()) []judge.Sample {
	t.Helper()
	pid := runBuild(t, dir)
	out := filepath.Join(dir, "out.jsonl")
	r := exec.Command(hotspan, "record", "-p", strconv.Itoa(pid), "-F", "999", "-d", "4s", "-o", out, "-v")
	log := new(buffer)
	r.Stderr = log
	if err := r.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Process.Kill() })
	met := time.Time{}
	until(t, func() bool {
		if touch(t, dir); met.IsZero() && strings.Contains(log.String(), "first named sample") {
			met = time.Now()
		}
		return !met.IsZero() && time.Since(met) > 300*time.Millisecond
	}, log.String)
	then()
	if err := r.Wait(); err != nil {
		t.Fatalf("%v: %s", err, log)
	}
	return readSamples(t, out)
}
