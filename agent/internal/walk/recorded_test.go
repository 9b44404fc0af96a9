package walk

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hotspan/hotspan/agent/internal/bpf/bpftest"
	"github.com/hotspan/hotspan/pprofx"
	"github.com/hotspan/hotspan/v8/stack"
	memory "github.com/hotspan/hotspan/v8/target"
)

// eachRecording runs a test on every recording.
func eachRecording(t *testing.T, f func(t *testing.T, p *bpftest.Program, th *thread, r *memory.Recording)) {
	p := bpftest.Load(t)
	for _, v := range versions(t) {
		t.Run(v, func(t *testing.T) {
			th, r := recorded(t, v)
			f(t, p, th, r)
		})
	}
}

// TestWalkRecorded: both walks find the same in a recording: a whole stack, with the script's functions.
func TestWalkRecorded(t *testing.T) {
	eachRecording(t, func(t *testing.T, p *bpftest.Program, th *thread, r *memory.Recording) {
		w := th.walk(r)
		agree(t, p, th, r.Pages, w)
		byScript, most := map[int32]int{}, 0
		for _, f := range w.Frames {
			if f.ID.Script >= 0 {
				byScript[f.ID.Script]++
				most = max(most, byScript[f.ID.Script])
			}
		}
		// One of them may be inlined.
		if w.Stop != stack.StopRoot || most < len(th.says.Stack)-1 || len(th.says.Stack) < 10 {
			t.Errorf("stop %d; %d frames of a script, which reports %d", w.Stop, most, len(th.says.Stack))
		}
	})
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
