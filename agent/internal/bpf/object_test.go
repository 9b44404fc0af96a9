package bpf

import (
	"bytes"
	"os"
	"testing"
)

// What hotspan loads is the object that the generated code has.
func TestObject(t *testing.T) {
	got, err := object()
	if err != nil {
		t.Fatal(err)
	}
	want, err := os.ReadFile("hotspan_bpfel.o")
	if err != nil || !bytes.Equal(got, want) || !bytes.Equal(got, _HotspanBytes) {
		t.Errorf("%v; %d bytes, not the %d of hotspan_bpfel.o: run make generate", err, len(got), len(want))
	}
}

func BenchmarkObject(b *testing.B) {
	for b.Loop() {
		if _, err := object(); err != nil {
			b.Fatal(err)
		}
	}
}
