package bpf

import (
	"encoding/binary"
	"reflect"
	"testing"

	"github.com/cilium/ebpf/btf"

	"github.com/hotspan/hotspan/agent/internal/bpf/kernelbtf"
)

// TestKernelTypes: the few types of the kernel that are read give the programs the offsets that all of them give.
func TestKernelTypes(t *testing.T) {
	spec, err := loadSpec()
	if err != nil {
		t.Fatal(err)
	}
	kernel, err := kernelbtf.Read()
	if err != nil {
		t.Fatal(err)
	}
	all, err := btf.LoadKernelSpec()
	if err != nil {
		t.Fatal(err)
	}
	for name, program := range spec.Programs {
		var relocations []*btf.CORERelocation
		for i := range program.Instructions {
			if r := btf.CORERelocationMetadata(&program.Instructions[i]); r != nil {
				relocations = append(relocations, r)
			}
		}
		if len(relocations) == 0 {
			t.Errorf("%s: the kernel's types do not concern it", name)
		}
		var fixups [2][]btf.COREFixup
		for i, types := range []*btf.Spec{kernel.Types, all} {
			noID := func(btf.Type) (btf.TypeID, error) { t.Errorf("%s: a type id", name); return 0, nil }
			of := []*btf.Spec{types}
			if fixups[i], err = btf.CORERelocate(relocations, of, binary.LittleEndian, noID); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
		}
		if !reflect.DeepEqual(fixups[0], fixups[1]) {
			t.Errorf("%s: %v, want %v", name, fixups[0], fixups[1])
		}
	}
}

// TestTracing: the programs that notice what processes do are loaded by these types.
func TestTracing(t *testing.T) {
	kernel, err := kernelbtf.Read()
	if err != nil {
		t.Fatal(err)
	}
	o, load, err := Create(1<<20, false, Probes{})
	if err != nil {
		t.Fatal(err)
	}
	defer o.Close()
	if err := load.tracing(kernel); err != nil {
		t.Fatal(err)
	}
	if o.HotspanExec == nil || o.HotspanExit == nil || o.HotspanMap == nil {
		t.Error("a program is missing")
	}
}
