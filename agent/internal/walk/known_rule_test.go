package walk

import (
	"testing"

	"github.com/hotspan/hotspan/agent/internal/bpf"
	"github.com/hotspan/hotspan/agent/internal/bpf/bpftest"
	"github.com/hotspan/hotspan/agent/internal/sampler"
	"github.com/hotspan/hotspan/agent/internal/unwind"
	memory "github.com/hotspan/hotspan/v8/target"
)

// TestKnownRule: the BPF program keeps the unwind rule of an address until the process is set anew: its mappings may be
// others then.
func TestKnownRule(t *testing.T) {
	const code, sp, first, second = wildAt + 0x8000, wildAt + 0x1000, wildAt + 0xa000, wildAt + 0xb000
	p := bpftest.Load(t)
	m := poolMemory(make([]byte, wildSize))
	m.put(sp, first)
	m.put(sp+8, second)
	filled := sampler.New(&p.Objects)
	var tables []bpf.Mapping // by the words between the stack pointer and the return address
	for off := range int16(2) {
		slot, pages, err := filled.AddTable(&unwind.Table{Rows: []unwind.Row{
			{PC: 0, CFA: unwind.RSP, Off: 1 + off}, {PC: 0x200, CFA: unwind.CFANone},
		}})
		if err != nil {
			t.Fatal(err)
		}
		tables = append(tables, bpf.Mapping{
			Start: code, End: code + 0x1000, Base: code, Kind: bpf.MappingNative, Table: slot, Pages: pages,
		})
	}
	if err := filled.Placed(tables); err != nil {
		t.Fatal(err)
	}
	for _, step := range []struct {
		name       string
		table      int
		generation uint32
		want       uint64
	}{
		{"met first", 0, 1, first},
		{"kept", 1, 1, first},
		{"set anew", 1, 2, second},
		{"of no generation", 0, 0, first},
		{"of no generation, another table", 1, 0, second},
	} {
		in := bpftest.Input{PID: walkPID, Process: &bpf.Process{
			Id: 7, N_mappings: 1, StoreLabel: bpf.NoLabel, Generation: step.generation,
		}, Pages: []bpftest.Page{{Addr: wildAt, Data: m}}}
		in.Process.Mappings[0] = tables[step.table]
		in.Registers.IP, in.Registers.General[memory.RSP] = code+0x10, sp
		out, err := p.Run(in)
		if err != nil {
			t.Fatal(err)
		}
		s, err := sampler.DecodeSample(out.Record)
		if err != nil || len(s.Frames) < 2 || s.Frames[1].Pc != step.want {
			t.Errorf("%s: frames %+v, %v, want the caller at 0x%x", step.name, s.Frames, err, step.want)
		}
	}
}
