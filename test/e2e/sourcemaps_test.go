package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/hotspan/hotspan/test/nodes"
)

// mappedSources and mappedBuilds are the folders of what was written and of what tools made of it.
const (
	mappedSources = "/programs/sourcemaps/src/"
	mappedBuilds  = "/programs/sourcemaps/dist/"
)

// TestSourceMaps: TypeScript as five tools compiled it shows its own functions, files, lines and columns.
func TestSourceMaps(t *testing.T) {
	eachNode(t, func(t *testing.T, node string) {
		p := start(t, node, "sourcemaps.js", []string{"--enable-source-maps"}, []string{"DURATION_MS=60000"})
		samples := record(t, p.pid, 997, 3*time.Second)
		if err := os.WriteFile(p.log+".stop", nil, 0o644); err != nil {
			t.Fatal(err)
		}
		v := compare(t, samples, p.truth(t))
		v.right.atLeast(t, "leaf function right", 99, 300)
		v.leafLine.atLeast(t, "leaf line inside the function", 99, 300)
		v.callers.atLeast(t, "callers right", 99, 1500)
		v.callerLine.atLeast(t, "callers' lines right", 99.9, 1500)
		v.callerColumn.atLeast(t, "callers' columns right", 99.9, 1500)
		if v.wrong > 0 {
			t.Errorf("%d wrong functions, want none", v.wrong)
		}
		mapped(t, samples)
	})
}

// mapped checks that no frame of the builds is left as it was compiled.
func mapped(t *testing.T, samples []sample) {
	t.Helper()
	var originals share
	left := map[frame]int{}
	for i := range samples {
		for _, f := range samples[i].js() {
			switch {
			case strings.Contains(f.File, mappedSources):
				originals.count(true)
			case strings.Contains(f.File, mappedBuilds):
				originals.count(false)
				left[f]++
			}
		}
	}
	for f, n := range left {
		t.Logf("not mapped, %d times: %+v", n, f)
	}
	originals.atLeast(t, "frames mapped", 99.9, 1500)
}

// TestNoSourceMaps: with the switch off, frames are those of the code that runs.
func TestNoSourceMaps(t *testing.T) {
	node, err := nodes.Path(nodes.Versions()[0].Version)
	if err != nil {
		t.Fatal(err)
	}
	p := start(t, node, "sourcemaps.js", []string{"--enable-source-maps"}, []string{"DURATION_MS=20000"})
	generated := 0
	for _, s := range record(t, p.pid, 499, time.Second, "--no-source-maps") {
		for _, f := range s.js() {
			if strings.Contains(f.File, mappedSources) || filepath.Ext(f.File) == ".ts" {
				t.Fatalf("%+v", f)
			}
			if strings.Contains(f.File, mappedBuilds) {
				generated++
			}
		}
	}
	if generated < 200 {
		t.Errorf("%d frames of generated code", generated)
	}
}
