package unwind

import (
	"debug/elf"
	"testing"

	"github.com/hotspan/hotspan/test/nodes/live"
)

func BenchmarkBuildNode(b *testing.B) {
	f, err := elf.Open(live.Binary(b, "24.21.0"))
	if err != nil {
		b.Fatal(err)
	}
	defer f.Close()
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Build(f); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkLookup(b *testing.B) {
	t := buildFile(b, live.Binary(b, "24.21.0"))
	span := uint64(t.Rows[len(t.Rows)-1].PC)
	for i := uint64(0); b.Loop(); i++ {
		t.Lookup(t.Base + i*2654435761%span)
	}
}
