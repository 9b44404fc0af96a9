package walk

import (
	"testing"

	"github.com/hotspan/hotspan/agent/internal/bpf"
	"github.com/hotspan/hotspan/agent/internal/bpf/bpftest"
	"github.com/hotspan/hotspan/agent/internal/sampler"
	memory "github.com/hotspan/hotspan/v8/target"
)

// needed is what naming a frame needs, besides its isolate.
type needed struct {
	kind            uint16
	sfi, place      uint64
	script, literal int32
}

func neededFor(f *bpf.Frame) (n needed, ok bool) {
	if f.Generated != 0 {
		n.place = f.Pc >> bpf.CodeBits
	}
	if n.kind = f.Kind; f.Kind == bpf.FrameJS {
		n.sfi, n.script, n.literal = f.Sfi, f.Script, f.Literal
	}
	return n, f.Kind == bpf.FrameJS || f.Generated != 0
}

// TestKnown: a sample is new as long as anything is missing that naming its frames needs, and for another process. The
// fingerprints are made in Go and in C: they must be the same.
func TestKnown(t *testing.T) {
	eachRecording(t, func(t *testing.T, p *bpftest.Program, th *thread, r *memory.Recording) {
		known, err := sampler.NewKnown(&p.Objects)
		if err != nil {
			t.Fatal(err)
		}
		defer known.Close()
		k := inKernel(t, p, th)
		isNew := func() bool {
			s, _ := k.raw(t, r.Pages)
			return s.IsNew != 0
		}
		s, _ := k.raw(t, r.Pages)
		frames := append([]bpf.Frame{s.Callee}, s.Frames...)
		distinct, generated := map[needed]bool{}, 0
		for i := range frames {
			if n, ok := neededFor(&frames[i]); ok && (i > 0 || s.Callee.Script >= 0) {
				distinct[n] = true
				generated += int(frames[i].Generated)
			}
		}
		if len(distinct) < 10 || generated == 0 {
			t.Errorf("%d functions and places, %d frames in generated code: too few", len(distinct), generated)
		}
		for without := range distinct {
			known.Clear()
			for i := range frames {
				if n, _ := neededFor(&frames[i]); n != without {
					known.Add(k.config.Id, &s, &frames[i])
				}
			}
			if !isNew() {
				t.Errorf("%+v was not noted, and nothing is new", without)
			}
		}
		for i := range frames {
			known.Add(k.config.Id, &s, &frames[i])
		}
		if isNew() {
			t.Error("all was noted, and something is new")
		}
		known.Clear()
		if !isNew() {
			t.Error("all was forgotten, and nothing is new")
		}
		k.config.Id++
		if !isNew() {
			t.Error("nothing of another process was noted, and nothing is new")
		}
	})
}
