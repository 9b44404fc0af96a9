package walk

import (
	"testing"

	"github.com/hotspan/hotspan/agent/internal/bpf"
	"github.com/hotspan/hotspan/agent/internal/bpf/bpftest"
	"github.com/hotspan/hotspan/agent/internal/sampler"
	memory "github.com/hotspan/hotspan/v8/target"
)

// TestKnown: a sample is new until all that naming its frames needs has been noted, and again for another isolate's
// thread, and when all is forgotten. Fingerprints are made in Go and in C: they must be the same.
func TestKnown(t *testing.T) {
	eachRecording(t, func(t *testing.T, p *bpftest.Program, th *thread, r *memory.Recording) {
		known, err := sampler.NewKnown(&p.Objects)
		if err != nil {
			t.Fatal(err)
		}
		defer known.Close()
		k := inKernel(t, p, th)
		var last sampler.Sample
		isNew := func() bool {
			last, _ = k.raw(t, r.Pages)
			return last.IsNew != 0
		}
		if !isNew() {
			t.Error("nothing was noted, and nothing is new")
		}
		generated := 0
		for i := range last.Frames {
			f := &last.Frames[i]
			if f.Kind == bpf.FrameNative || f.Kind == bpf.FrameTyped && f.Generated == 0 {
				continue
			}
			if !isNew() {
				t.Fatalf("frame %d was not noted, and nothing is new", i)
			}
			generated += int(f.Generated)
			known.Add(k.config.Id, &last, &last.Frames[i])
		}
		known.Add(k.config.Id, &last, &last.Callee)
		if isNew() {
			t.Error("all was noted, and something is new")
		}
		if generated == 0 {
			t.Error("no frame in generated code")
		}
		k.config.Id++
		if !isNew() {
			t.Error("nothing of another process was noted, and nothing is new")
		}
		k.config.Id--
		known.Clear()
		if !isNew() {
			t.Error("nothing is new, though all is forgotten")
		}
	})
}
