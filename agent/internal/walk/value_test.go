package walk

import (
	"encoding/binary"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hotspan/hotspan/agent/internal/bpf"
	"github.com/hotspan/hotspan/agent/internal/bpf/bpftest"
	"github.com/hotspan/hotspan/agent/internal/unwind"
	"github.com/hotspan/hotspan/v8/layout"
	"github.com/hotspan/hotspan/v8/stack"
	memory "github.com/hotspan/hotspan/v8/target"
)

// TestWalkOverValue: where a builtin has pushed a word before it set up its frame, the walk goes on at the return
// address above that word, or with the builtin if there is none; a word that cannot be a value of V8's is left as it
// is.
func TestWalkOverValue(t *testing.T) {
	const (
		stackAt, code, native = 0x10_0000_0000, 0x20_0000_0000, 0x30_0000_0000
		marker, object, smi   = 0x2e, 0x40_0000_0001, 7 << 32
		frame, caller         = 0x40, 0xc0 // their frame pointers, from the stack's page
		inV8                  = code + 0x40
		nowhere               = 0x50_0000_1000
	)
	p := bpftest.Load(t)
	for _, c := range []struct {
		what         string
		value, above uint64
		slots        uint64 // of the caller: context and function
		want         []uint64
		stop         stack.Stop
	}{
		{"the OSR builtin", object, inV8, object, []uint64{code, inV8, native + 1}, stack.StopRoot},
		{"an accumulator of no use", nowhere, inV8, object, []uint64{code, inV8, native + 1}, stack.StopRoot},
		{"a negative Smi", 0xffffffff << 32, inV8, object, []uint64{code, inV8, native + 1}, stack.StopRoot},
		{"a builtin that was not called", smi, object, object, []uint64{code, code, native + 1}, stack.StopRoot},
		{"code that is not known", nowhere, object, object, []uint64{code, nowhere, native + 1}, stack.StopRoot},
		{"a caller that is no function", nowhere, inV8, marker, []uint64{code, nowhere, native + 1}, stack.StopRoot},
		{"nothing", 0, object, marker, []uint64{code}, stack.StopBadPC},
	} {
		b := make([]byte, memory.PageSize)
		for at, word := range map[int]uint64{
			frame - 8: marker, frame: stackAt + caller, frame + 8: c.value, frame + 16: c.above,
			caller - 16: c.slots, caller - 8: c.slots, caller: 0, caller + 8: native + 1,
		} {
			binary.LittleEndian.PutUint64(b[at:], word)
		}
		r := &memory.Recording{Pages: map[uint64][]byte{stackAt: b}}
		th := &thread{mem: r, layout: &layout.Layout{}, code: newUsedCode(
			[]bpf.Mapping{
				{Start: code, End: code + 0x1000, Kind: bpf.MappingGenerated},
				{Start: native, End: native + 0x1000, Base: native, Table: 1, Kind: bpf.MappingNative},
			},
			map[uint32]*unwind.Table{1: {Rows: []unwind.Row{{CFA: unwind.CFAEnd}, {PC: 0x100, CFA: unwind.CFANone}}}},
		)}
		th.regs.IP, th.regs.General[memory.RSP], th.regs.General[memory.RBP] = code, stackAt+8, stackAt+frame
		w := inKernel(t, p, th).same(t, c.what, r)
		var got []uint64
		for _, f := range w.Frames {
			got = append(got, f.PC)
		}
		if diff := cmp.Diff(c.want, got); diff != "" || w.Stop != c.stop {
			t.Errorf("%s: stop %d: %s", c.what, w.Stop, diff)
		}
	}
}
