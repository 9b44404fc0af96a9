package walk

import (
	"encoding/binary"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/hotspan/hotspan/agent/internal/bpf"
	"github.com/hotspan/hotspan/agent/internal/bpf/bpftest"
	memory "github.com/hotspan/hotspan/v8/target"
)

// TestNoHooks: where nobody knows where Node has its async_hooks, each sample counts that lacks labels for it, from
// when hotspan has given up looking. Where there is no Environment, nothing is missing.
func TestNoHooks(t *testing.T) {
	tested := 0
	eachRecording(t, func(t *testing.T, p *bpftest.Program, th *thread, r *memory.Recording) {
		k := inKernel(t, p, th)
		whole := k.sample(t, r.Pages)
		key, hooks, ok := environment(t, p, k.config.Id)
		if !ok {
			return // its stores are in V8's AsyncContextFrame
		}
		tested++
		if len(whole.labels) == 0 || whole.flags.NoHooks {
			t.Fatalf("%d labels, %+v", len(whole.labels), whole.flags)
		}
		if err := p.Objects.Environments.Put(key, bpf.AsyncHooks{}); err != nil {
			t.Fatal(err)
		}
		if s := k.once(t, r.Pages); s.flags.NoHooks || len(s.labels) > 0 {
			t.Errorf("without an Environment: %+v, %v", s.flags, s.labels)
		}
		if err := p.Objects.Environments.Delete(key); err != nil {
			t.Fatal(err)
		}
		hidden := without(r, hooks.Fields)
		th.mem = hidden
		k = inKernel(t, p, th)
		if s := k.sample(t, hidden.Pages); !s.flags.Learning || s.flags.NoHooks || len(s.labels) > 0 {
			t.Errorf("at first: %+v, %v", s.flags, s.labels)
		}
		if tested > 1 {
			return // the rest takes long, and is the same
		}
		time.Sleep(2100 * time.Millisecond)
		last := k.sample(t, hidden.Pages)
		for n := 0; n < 100 && last.flags.Learning; n++ { // it looks as often at least
			last = k.sample(t, hidden.Pages)
		}
		if !last.flags.NoHooks || last.flags.Learning || len(last.labels) > 0 {
			t.Errorf("afterwards: %+v, %v", last.flags, last.labels)
		}
	})
	if tested == 0 {
		t.Error("no recording has async_hooks")
	}
}

// environment returns what the BPF program knows of the Environment of a process.
func environment(t *testing.T, p *bpftest.Program, id uint32) (key bpf.EnvironmentKey, h bpf.AsyncHooks, ok bool) {
	t.Helper()
	for all := p.Objects.Environments.Iterate(); all.Next(&key, &h); {
		if key.Process == id && h.Fields != 0 {
			return key, h, true
		}
	}
	return key, h, false
}

// without is a recording in which nothing refers to an address.
func without(r *memory.Recording, address uint64) *memory.Recording {
	out := *r
	out.Pages = maps.Clone(r.Pages)
	for page, b := range r.Pages {
		b = slices.Clone(b)
		for at := 0; at < len(b); at += 8 {
			if binary.LittleEndian.Uint64(b[at:]) == address {
				clear(b[at : at+8])
			}
		}
		out.Pages[page] = b
	}
	return &out
}
