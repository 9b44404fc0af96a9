package sampler

import (
	"debug/elf"
	"testing"

	"github.com/hotspan/hotspan/agent/internal/bpf"
	"github.com/hotspan/hotspan/agent/internal/unwind"
	"github.com/hotspan/hotspan/test/nodes/live"
)

// BenchmarkAddTable writes the rules of a Node.js into BPF maps.
func BenchmarkAddTable(b *testing.B) {
	f, err := elf.Open(live.Binary(b, "24.21.0"))
	if err != nil {
		b.Fatal(err)
	}
	defer f.Close()
	table, err := unwind.Build(f)
	if err != nil {
		b.Fatal(err)
	}
	objects, _, err := bpf.Create(1<<20, false, bpf.Probes{})
	if err != nil {
		b.Skipf("BPF maps need root: %v", err)
	}
	defer objects.Close()
	s := New(objects)
	b.ReportAllocs()
	for b.Loop() {
		slot, _, err := s.AddTable(table)
		if err != nil {
			b.Fatal(err)
		}
		if err := s.RemoveTable(slot); err != nil {
			b.Fatal(err)
		}
	}
}
