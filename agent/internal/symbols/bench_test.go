package symbols

import (
	"os"
	"testing"

	"github.com/hotspan/hotspan/test/nodes/live"
)

func BenchmarkOpenNode(b *testing.B) {
	f, err := os.Open(live.Binary(b, "24.21.0"))
	if err != nil {
		b.Fatal(err)
	}
	defer f.Close()
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Open(f); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkLookup(b *testing.B) {
	t := openFile(b, live.Binary(b, "24.21.0"))
	all := entries(t)
	for i := uint64(0); b.Loop(); i++ {
		t.Lookup(all[i*2654435761%uint64(len(all))].start)
	}
}

func BenchmarkDisplay(b *testing.B) {
	t := openFile(b, live.Binary(b, "24.21.0"))
	all := entries(t)
	for i := uint64(0); b.Loop(); i++ {
		display(string(all[i*2654435761%uint64(len(all))].name))
	}
}
