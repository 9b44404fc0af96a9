package walk

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hotspan/hotspan/agent/internal/bpf"
	"github.com/hotspan/hotspan/agent/internal/bpf/bpftest"
	memory "github.com/hotspan/hotspan/v8/target"
)

// TestResourceOfThread: where resources of a hidden class keep stores counts for the thread in whose isolate the class
// is. In that of a later thread another class may be at its address, with as many descriptors in the same place.
func TestResourceOfThread(t *testing.T) {
	tested := 0
	eachRecording(t, func(t *testing.T, p *bpftest.Program, th *thread, r *memory.Recording) {
		k := inKernel(t, p, th)
		whole := k.sample(t, r.Pages)
		known := resources(p, k.config.Id)
		if len(known) == 0 {
			return // its stores are in V8's AsyncContextFrame
		}
		tested++
		keep := func(key bpf.ShapeKey, value bpf.Resource) {
			if err := p.Objects.Resources.Put(key, value); err != nil {
				t.Fatal(err)
			}
		}
		nothing := func(known bpf.Resource) bpf.Resource {
			return bpf.Resource{Descriptors: known.Descriptors, Own: known.Own}
		}
		for key, value := range known {
			keep(key, nothing(value))
		}
		if s := k.once(t, r.Pages); len(whole.labels) == 0 || len(s.labels) > 0 {
			t.Errorf("what is known is not used: %v, before %v", s.labels, whole.labels)
		}
		for key, value := range known {
			if err := p.Objects.Resources.Delete(key); err != nil {
				t.Fatal(err)
			}
			key.Thread++
			keep(key, nothing(value))
		}
		if diff := cmp.Diff(whole.labels, k.once(t, r.Pages).labels); diff != "" {
			t.Error(diff)
		}
	})
	if tested == 0 {
		t.Error("no recording has async_hooks")
	}
}

// resources are what the BPF program has been told of the resources of a process.
func resources(p *bpftest.Program, id uint32) map[bpf.ShapeKey]bpf.Resource {
	var key bpf.ShapeKey
	var value bpf.Resource
	found := map[bpf.ShapeKey]bpf.Resource{}
	for all := p.Objects.Resources.Iterate(); all.Next(&key, &value); {
		if key.Process == id {
			found[key] = value
		}
	}
	return found
}
