package e2e

import (
	"fmt"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hotspan/hotspan/test/truth"
	"github.com/hotspan/hotspan/test/truth/judge"
)

// TestDeep: of stacks that are deeper than what a sample keeps, in a program's own code and through map, sort and
// JSON.parse, samples have the frames at the leaf and at the root, and the right number of frames between them.
func TestDeep(t *testing.T) {
	eachNode(t, func(t *testing.T, node string) {
		t.Setenv("WAIT_MS", "500")
		samples, l := recordCommand(t, 499, node, "--stack-size=6000", "../programs/deep.js")
		d := deepStacks{perFrame: map[string]float64{}}
		var cut []deepSample
		for i := range samples {
			want, ok := l.At(samples[i].Mono(l), samples[i].TID)
			if !ok || len(want.Stack) == 0 {
				continue
			}
			if s := split(&samples[i], want.Stack); s.skipped == 0 {
				d.compareWhole(s)
			} else {
				cut = append(cut, s)
			}
		}
		for _, s := range cut { // with what the whole stacks have told
			d.compareCut(t, s)
		}
		atLeast(t, d.toRoot, "to the thread's first frame", 99, 150)
		atLeast(t, d.own, "the program's own frames, all or at both ends", 99, 150)
		atLeast(t, d.skipped, "number of frames between", 99, 50)
		if len(d.perFrame) != 4 || d.deepest < 5000 || d.least > 300 || d.whole < 850 {
			t.Errorf("frames to one of its own: %v; up to %d frames, %d in a whole stack, at least %d skipped",
				d.perFrame, d.deepest, d.whole, d.least)
		}
	})
}

// deepSample is a sample of a known stack: the frames at its leaf and, if some are skipped, those at its root.
type deepSample struct {
	*judge.Sample
	leaf, root []judge.Frame
	skipped    int
	want       []truth.Frame
}

func split(s *judge.Sample, want []truth.Frame) deepSample {
	out := deepSample{Sample: s, leaf: s.Stack, want: want}
	for i, f := range s.Stack {
		if _, err := fmt.Sscanf(f.F, "[… %d frames]", &out.skipped); err == nil && f.Kind == "marker" {
			out.leaf, out.root = s.Stack[:i], s.Stack[i+1:]
		}
	}
	return out
}

// kind returns the kind of recursion of a sample.
func (s deepSample) kind() string {
	name := s.want[len(s.want)/2].Function
	if outer, ok := map[string]string{"each": "map", "compare": "sort", "revive": "json"}[name]; ok {
		return outer
	}
	return name
}

// deepStacks is the result of the comparison.
type deepStacks struct {
	toRoot, own, skipped  judge.Share
	perFrame              map[string]float64 // by kind: all frames to each of the program's own, where none are missing
	deepest, whole, least int
	bottom                []judge.Frame // the frames at the root of a whole stack
}

func (d *deepStacks) compareWhole(s deepSample) {
	own := ownFrames(s.leaf)
	d.own.Count(len(own) == len(s.want) && same(own, s.want))
	d.toRoot.Count(s.Stop == "root")
	d.whole = max(d.whole, len(s.leaf))
	if len(s.leaf) > 100 && s.Stop == "root" {
		d.perFrame[s.kind()] = perFrame(s.leaf, s.kind())
		d.bottom = s.leaf[len(s.leaf)-5:]
	}
}

func (d *deepStacks) compareCut(t *testing.T, s deepSample) {
	front, back := ownFrames(s.leaf), ownFrames(s.root)
	hidden := len(s.want) - len(front) - len(back)
	d.own.Count(hidden > 0 && same(front, s.want[:len(front)]) && same(back, s.want[len(s.want)-len(back):]))
	d.toRoot.Count(s.Stop == "root" && len(s.root) > 5 && cmp.Equal(d.bottom, s.root[len(s.root)-5:]))
	d.deepest = max(d.deepest, len(s.leaf)+s.skipped+len(s.root))
	if d.least == 0 || s.skipped < d.least {
		d.least = s.skipped
	}
	if d.perFrame[s.kind()] == 0 {
		return // no whole stack was met to compare with; TestDeep asks for one of each kind
	}
	off := float64(s.skipped) - float64(hidden)*d.perFrame[s.kind()]
	right := -10 < off && off < 10 // the cut may be anywhere between two of the program's own
	if d.skipped.Count(right); !right {
		t.Logf("%s: %d frames skipped, %d of the program's own, which are %.3f frames each", s.kind(), s.skipped,
			hidden, d.perFrame[s.kind()])
	}
}

// perFrame returns how many frames there are for each one of the program, between the first and the last of a function.
func perFrame(all []judge.Frame, function string) float64 {
	first, last, own := -1, -1, 0
	for i, f := range all {
		if f.F == function {
			if first < 0 {
				first = i
			}
			last = i
		}
	}
	for _, f := range all[max(first, 0):max(last, 0)] {
		if filepath.Base(f.File) == "deep.js" {
			own++
		}
	}
	return float64(last-first) / float64(max(own, 1))
}

// ownFrames returns the frames of the program.
func ownFrames(all []judge.Frame) (own []judge.Frame) {
	for _, f := range all {
		if filepath.Base(f.File) == "deep.js" {
			own = append(own, f)
		}
	}
	return own
}

// same compares functions, lines and columns. Of the leaf, which continues to run, it compares the function only.
func same(got []judge.Frame, want []truth.Frame) bool {
	for i, w := range want {
		if !got[i].Is(w.Function, w.File) && !(w.Function == "" && got[i].F == "(anonymous)") {
			return false
		}
		if w.First == 0 && (got[i].Line != w.Line || got[i].Col != w.Column) {
			return false
		}
	}
	return true
}
