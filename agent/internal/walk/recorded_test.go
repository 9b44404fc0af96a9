package walk

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hotspan/hotspan/agent/internal/bpf/bpftest"
	"github.com/hotspan/hotspan/pprofx"
	"github.com/hotspan/hotspan/test/draw"
	"github.com/hotspan/hotspan/v8/stack"
	memory "github.com/hotspan/hotspan/v8/target"
)

// eachRecording runs a test on every recording that is drawn.
func eachRecording(t *testing.T, f recordingTest) {
	onRecordings(t, draw.Share(versions(t), 4, t.Name()), f)
}

type recordingTest func(t *testing.T, p *bpftest.Program, th *thread, r *memory.Recording)

func onRecordings(t *testing.T, versions []string, f recordingTest) {
	p := bpftest.Load(t)
	for _, v := range versions {
		t.Run(v, func(t *testing.T) {
			th, r := recorded(t, v)
			f(t, p, th, r)
		})
	}
}

// TestWalkRecorded: over a recording the walk in Go reaches the thread's first frame, and has the functions that the
// script has reported, in their order. The BPF program finds the same, frame for frame: of native frames, and of frames
// of other scripts, nothing else is known here. Names and lines are not in a recording: TestWalkLive compares them.
func TestWalkRecorded(t *testing.T) {
	onRecordings(t, versions(t), func(t *testing.T, p *bpftest.Program, th *thread, r *memory.Recording) {
		w := th.walk(r)
		if w.Stop != stack.StopRoot || w.Resumed {
			t.Errorf("stop %d, resumed %v", w.Stop, w.Resumed)
		}
		literals := scriptLiterals(w)
		if diff := cmp.Diff(ranks(th.numbered(len(literals))), ranks(literals)); diff != "" {
			t.Errorf("functions by their place in the script, by the script itself and by the walk: %s", diff)
		}
		agree(t, p, th, r.Pages, w)
	})
}

// scriptLiterals are V8's numbers of the functions on a walked stack that are of the script, leaf first: it is the
// script with most frames.
func scriptLiterals(w stack.Walk) (literals []int) {
	byScript := map[int32][]int{}
	for _, f := range w.Frames {
		if f.ID.Script >= 0 {
			of := append(byScript[f.ID.Script], int(f.ID.Literal))
			byScript[f.ID.Script] = of
			if len(of) > len(literals) {
				literals = of
			}
		}
	}
	return literals
}

// numbered are numbers for the functions that the script reports, leaf first, that rise as V8's do: V8 numbers the
// functions of a script in the order in which they begin, from the script's own on. None is in another's line before
// where that one calls, so the places of the calls have the same order. With one frame less, hot's has warm inlined.
func (th *thread) numbered(frames int) (numbers []int) {
	last := len(th.says.Stack) - 1
	for i, s := range th.says.Stack {
		switch {
		case s.Name == "warm" && frames == last:
		case i == last:
			numbers = append(numbers, 0)
		default:
			numbers = append(numbers, s.Line<<16|s.Column)
		}
	}
	return numbers
}

// ranks are the places of numbers among all of them.
func ranks(numbers []int) (places []int) {
	sorted := slices.Sorted(slices.Values(numbers))
	for _, n := range numbers {
		places = append(places, slices.Index(sorted, n))
	}
	return places
}

// TestWalkWithoutPage takes each page of a recording away. Without a page of the stack the walk ends there as
// unreadable, or without a rule, or goes on at V8's exit frame with a gap; without a page of the heap functions have no
// identity, and nothing else changes. No label is another. Go and BPF agree on all of it.
func TestWalkWithoutPage(t *testing.T) {
	eachRecording(t, func(t *testing.T, p *bpftest.Program, th *thread, r *memory.Recording) {
		whole := th.walk(r)
		k := inKernel(t, p, th)
		labels := k.sample(t, r.Pages).labels
		low, high := stackOf(th, r)
		var stops []string
		for _, page := range r.Addresses() {
			less := r.Without(page)
			w := th.walk(less)
			s := k.sample(t, less.Pages)
			if diff := cmp.Diff(w, s.walk); diff != "" {
				t.Errorf("without 0x%x: Go and BPF: %s", page, diff)
			}
			if page >= low && page <= high {
				stops = append(stops, fmt.Sprintf("%d/%v", w.Stop, w.Resumed))
				cutOff(t, page, whole, w)
			} else {
				sameStack(t, page, whole, w)
			}
			for _, l := range s.labels {
				if !slices.Contains(labels, l) {
					t.Errorf("without 0x%x: label %+v", page, l)
				}
			}
			if page != th.threadLocal() {
				unsaid(t, page, s, labels)
			}
		}
		t.Logf("%d pages, of the stack: stop/resumed %v", len(r.Pages), stops)
	})
}

// stackOf is the first and the last page of the stack.
func stackOf(th *thread, r *memory.Recording) (low, high uint64) {
	const most = 8 << 20 // bytes, the kernel's default limit
	low = th.regs.General[memory.RSP] &^ (memory.PageSize - 1)
	for _, page := range r.Addresses() {
		if page >= low && page < low+most {
			high = page
		}
	}
	return low, high
}

// cutOff checks what a walk has that a page of the stack was missing of.
func cutOff(t *testing.T, page uint64, whole, w stack.Walk) {
	t.Helper()
	n := 0
	for n < len(w.Frames) && n < len(whole.Frames) && w.Frames[n].PC == whole.Frames[n].PC {
		n++
	}
	rest := w.Frames[n:]
	switch {
	case w.Stop == stack.StopRoot && !w.Resumed && len(rest) == 0: // none of its words was asked for
	case w.Resumed && len(rest) > 0 && rest[0].Kind == stack.FrameGap && tail(whole, rest[1:]):
	case !w.Resumed && len(rest) == 0 && (w.Stop == stack.StopUnreadable || w.Stop == stack.StopNoRule):
	default:
		t.Errorf("without 0x%x: stop %d, resumed %v, %d frames as before and %d others", page, w.Stop, w.Resumed, n,
			len(rest))
	}
}

// tail reports whether the frames after a gap are those of the whole stack, up to its root or to where they end.
func tail(whole stack.Walk, rest []stack.WalkFrame) bool {
	if len(rest) == 0 {
		return true
	}
	// The one frame of a walk that ends there has no identity where its page is what is missing.
	i := slices.IndexFunc(whole.Frames, func(f stack.WalkFrame) bool {
		return f.PC == rest[0].PC && (f.SFI == rest[0].SFI || len(rest) == 1)
	})
	for n, f := range rest {
		if i < 0 || i+n >= len(whole.Frames) || whole.Frames[i+n].PC != f.PC {
			return false
		}
	}
	return true
}

// sameStack checks a walk that no page of the stack was missing of.
func sameStack(t *testing.T, page uint64, whole, w stack.Walk) {
	t.Helper()
	if w.Stop != whole.Stop || w.Resumed || len(w.Frames) != len(whole.Frames) {
		t.Fatalf("without 0x%x: stop %d, resumed %v, %d frames of %d", page, w.Stop, w.Resumed, len(w.Frames),
			len(whole.Frames))
	}
	for i, f := range w.Frames {
		want := whole.Frames[i]
		if f.ID != want.ID {
			want.ID.Script, want.ID.Literal = -1, f.ID.Literal&want.ID.Literal
			if f.SFI == 0 {
				want.SFI = 0
			}
		}
		if diff := cmp.Diff(want, f); diff != "" {
			t.Errorf("without 0x%x: frame %d: %s", page, i, diff)
		}
	}
}

// threadLocal is the page that says which isolate the thread has entered: without it there is none, and no request.
func (th *thread) threadLocal() uint64 {
	return (th.regs.FSBase + uint64(th.isolate)) &^ (memory.PageSize - 1)
}

// unsaid checks that a sample that lacks a label says why.
func unsaid(t *testing.T, page uint64, s sampled, labels []pprofx.Label) {
	t.Helper()
	if len(s.labels) < len(labels) && !s.flags.Unreadable && !s.flags.Learning {
		t.Errorf("without 0x%x: %d of %d labels, and nothing says why", page, len(s.labels), len(labels))
	}
}
