package sampler

import (
	"testing"
	"time"

	"github.com/cilium/ebpf"

	"github.com/hotspan/hotspan/agent/internal/bpf"
	"github.com/hotspan/hotspan/agent/internal/unwind"
)

// TestPlaced: the tables of a process are in the BPF maps when it is set, and those that were removed are not. To add
// many takes no longer than some waits for the kernel, in one of some tries: other processes may want the CPUs.
func TestPlaced(t *testing.T) {
	for range 8 {
		took, one := place(t)
		t.Logf("64 tables took %v, to wait for the kernel %v", took, one)
		if one <= time.Millisecond || took <= 32*one {
			return
		}
	}
	t.Error("to add many tables always takes as long as to wait for the kernel for each")
}

// place adds 64 tables, and removes some. It returns how long that took, and one wait for the kernel.
func place(t *testing.T) (took, one time.Duration) {
	t.Helper()
	objects, _, err := bpf.Create(1<<20, false, bpf.Probes{})
	if err != nil {
		t.Fatal(err)
	}
	defer objects.Close()
	s := New(objects)
	var p bpf.Process
	began := time.Now()
	for i := range 64 {
		rows := []unwind.Row{{CFA: unwind.RSP, Off: int16(i)}, {PC: 0x100, CFA: unwind.CFANone}}
		slot, pages, err := s.AddTable(&unwind.Table{Rows: rows})
		if err != nil {
			t.Fatal(err)
		}
		p.Mappings[i] = bpf.Mapping{Table: slot, Pages: pages}
		p.N_mappings++
	}
	if err := s.SetProcess(1, &p); err != nil {
		t.Fatal(err)
	}
	took = time.Since(began)
	for i, m := range p.Mappings[:p.N_mappings] {
		var id ebpf.MapID
		if err := objects.Tables.Lookup(m.Table, &id); err != nil {
			t.Errorf("table %d: %v", i, err)
		}
	}
	began = time.Now()
	for _, m := range p.Mappings[:8] {
		if err := s.RemoveTable(m.Table); err != nil {
			t.Error(err)
		}
	}
	one = time.Since(began) / 8
	for i, m := range p.Mappings[:p.N_mappings] {
		var id ebpf.MapID
		if err := objects.Tables.Lookup(m.Table, &id); (err != nil) != (i < 8) {
			t.Errorf("table %d after the first eight were removed: %v", i, err)
		}
	}
	s.placing.all()
	return took, one
}
