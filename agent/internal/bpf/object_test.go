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

// What is left out of the object is not in what is read, and all else is.
func TestLeftOut(t *testing.T) {
	all, err := loadSpec()
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range []Probes{{}, {Uprobes: true}, {Waits: true}, {Syscalls: true, Timer: true}} {
		leftOut := p.leftOut()
		some, err := loadSpec(leftOut...)
		if err != nil {
			t.Fatal(err)
		}
		if len(some.Programs)+len(leftOut) != len(all.Programs) || len(some.Maps) != len(all.Maps) {
			t.Errorf("%+v: %d programs and %d maps, left out of %d and %d: %v",
				p, len(some.Programs), len(some.Maps), len(all.Programs), len(all.Maps), leftOut)
		}
		for name, program := range some.Programs {
			if got, want := len(program.Instructions), len(all.Programs[name].Instructions); got != want {
				t.Errorf("%+v: %s has %d instructions, want %d", p, name, got, want)
			}
		}
	}
}

func BenchmarkSpec(b *testing.B) {
	for b.Loop() {
		if _, err := loadSpec((Probes{}).leftOut()...); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkWholeSpec(b *testing.B) {
	for b.Loop() {
		if _, err := loadSpec(); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkObject(b *testing.B) {
	for b.Loop() {
		if _, err := object(); err != nil {
			b.Fatal(err)
		}
	}
}
