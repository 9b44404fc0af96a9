package e2e

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/hotspan/hotspan/test/nodes"
	"github.com/hotspan/hotspan/test/truth/judge"
)

// mappedSources and mappedBuilds are the folders of the sources and of what tools made of them.
const (
	mappedSources = "/programs/sourcemaps/src/"
	mappedBuilds  = "/programs/sourcemaps/dist/"
)

// TestSourceMaps: TypeScript as five tools compiled it shows its own functions, files, lines and columns.
func TestSourceMaps(t *testing.T) {
	t.Parallel()
	eachNode(t, func(t *testing.T, node string) {
		p := start(t, node, "sourcemaps.js", []string{"--enable-source-maps"}, nil)
		samples := recordEnough(t, p.PID, 997, 500, 3*time.Second)
		v := compare(t, samples, p.truth(t))
		inTime(t, v.Right, "leaf function right", 99, 300)
		atLeast(t, v.LeafLine, "leaf line inside the function", 99, 300)
		inTime(t, v.Callers, "callers right", 99, 1500)
		atLeast(t, v.Line, "callers' lines right", 99.9, 1500)
		atLeast(t, v.Column, "callers' columns right", 99.9, 1500)
		if v.Wrong > 0 {
			t.Errorf("%d wrong functions, want none", v.Wrong)
		}
		mapped(t, samples)
	})
}

// mapped checks that no frame is of a compiled file.
func mapped(t *testing.T, samples []judge.Sample) {
	t.Helper()
	var originals judge.Share
	left := map[judge.Frame]int{}
	for i := range samples {
		for _, f := range samples[i].JS() {
			switch {
			case strings.Contains(f.File, mappedSources):
				originals.Count(true)
			case strings.Contains(f.File, mappedBuilds):
				originals.Count(false)
				left[f]++
			}
		}
	}
	for f, n := range left {
		t.Logf("not mapped, %d times: %+v", n, f)
	}
	atLeast(t, originals, "frames mapped", 99.9, 1500)
}

// TestNoSourceMaps: with --no-source-maps, frames are those of the code that runs.
func TestNoSourceMaps(t *testing.T) {
	t.Parallel()
	node, err := nodes.Path(nodes.Versions()[0].Version)
	if err != nil {
		t.Fatal(err)
	}
	p := start(t, node, "sourcemaps.js", []string{"--enable-source-maps"}, nil)
	generated := 0
	for _, s := range recordEnough(t, p.PID, 499, 100, time.Second, "--no-source-maps") {
		for _, f := range s.JS() {
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
