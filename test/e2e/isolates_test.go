package e2e

import (
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/hotspan/hotspan/test/draw"
	"github.com/hotspan/hotspan/test/truth/judge"
)

// TestIsolates: isolates that live one after the other on one thread, as those of isolated-vm do, often come to one
// address, and count functions and scripts alike. No function is taken for one of an isolate before it.
func TestIsolates(t *testing.T) {
	t.Parallel()
	draw.Quarter(t, seldom)
	eachNode(t, func(t *testing.T, node string) {
		library := addon(t, node, "isolates.cc", "-std=c++20")
		const enough = 300
		var named judge.Share
		untilEnough(t, func(times int) bool {
			file, out := filepath.Join(t.TempDir(), "out.jsonl"), filepath.Join(t.TempDir(), "truth.jsonl")
			r := run(t, "record", "-F", "199", "-o", file, "--", node, "../programs/isolates.js", library, out,
				strconv.Itoa(200*times))
			t.Logf("%s", r.Stderr)
			named = compareIsolates(t, readSamples(t, file), readLines[isolateRun](t, out))
			return named.Whole >= enough
		})
		// Samples are read every 100 ms, on a busy machine later. Those after which an isolate was not seen may be of
		// one that nobody has seen, and have no names. Of 200 ms that is half, or more.
		atLeast(t, named, "functions with their line", 20, enough)
	})
}

// compareIsolates fails the test if a sample has the function or a line of another isolate than the one that ran. It
// returns how many samples have their line.
func compareIsolates(t *testing.T, samples []judge.Sample, runs []isolateRun) (named judge.Share) {
	t.Helper()
	wrong := map[string]int{}
	for _, s := range samples {
		js := slices.DeleteFunc(s.JS(), func(f judge.Frame) bool { return f.Kind != "js" })
		at := runAt(runs, s.T)
		if s.TID == s.PID || len(js) == 0 || at == nil || js[0].F == "(anonymous)" && len(js) == 1 {
			continue // of Node.js itself, or of the text around the function, which compiles it
		}
		named.Count(!js[0].IsUnknown() && js[0].Line > 0)
		if f, around := js[0], js[len(js)-1]; !f.IsUnknown() && f.F != at.Name ||
			f.Line != 0 && f.Line != at.Line || around.Line != 0 && around.Line != at.Line+1 {
			wrong[fmt.Sprintf("%s:%d called in line %d, want %s:%d", f.F, f.Line, around.Line, at.Name, at.Line)]++
		}
	}
	if len(wrong) > 0 {
		t.Errorf("by how many samples: %v", wrong)
	}
	return named
}

// isolateRun is one text of isolates.js: which function ran, in which line it is, and when, in Unix time.
type isolateRun struct {
	Name       string
	Line       int
	Start, End float64
}

// runAt returns the run of which a sample is; nil: it is at its edge, or between two.
func runAt(all []isolateRun, at int64) *isolateRun {
	const edge = float64(time.Millisecond)
	for i, r := range all {
		if float64(at) > r.Start+edge && float64(at) < r.End-edge {
			return &all[i]
		}
	}
	return nil
}
