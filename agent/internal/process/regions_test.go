package process

import (
	"bytes"
	"testing"

	"github.com/hotspan/hotspan/agent/internal/elffile"
	"github.com/hotspan/hotspan/agent/internal/procs"
)

// TestCopiedBuiltins: anonymous memory that has the size of the builtins and begins like them is a copy. It stays apart
// from the code range around it.
func TestCopiedBuiltins(t *testing.T) {
	const at, again, size = 0x1000, 0x301000, minBuiltins + 0x80
	head := bytes.Repeat([]byte("builtins"), headOfBuiltins/8)
	memory := make([]byte, 0x500000)
	copy(memory[at:], head)
	copy(memory[again:], head)
	v8 := &elffile.File{}
	code := []Region{{Start: at, End: at + size, Kind: Builtins, File: v8, Bias: 0x400}}
	piece := func(start, end uint64, write bool) procs.Mapping {
		return procs.Mapping{Start: start, End: end, Exec: true, Write: write}
	}
	before, m, after := piece(0x201000, again, true), piece(again, again+minBuiltins+0x1000, false),
		piece(again+minBuiltins+0x1000, 0x500000, true)

	kept, _ := keep([]procs.Mapping{before, m, after}, nil)
	if len(kept) != 3 || kept[1] != m {
		t.Fatalf("kept %+v", kept)
	}
	want := Region{Start: again, End: again + size, Kind: Builtins, File: v8, Bias: 0x400 + again - at}
	if got, ok := copiedBuiltins(bytes.NewReader(memory), v8, m, code); !ok || got != want {
		t.Errorf("%+v, %t, want %+v", got, ok, want)
	}
	larger, writable, elsewhere := m, m, m
	larger.End += 0x1000
	writable.Write = true
	elsewhere.Start, elsewhere.End = m.Start+0x1000, m.End+0x1000
	for name, m := range map[string]procs.Mapping{"larger": larger, "writable": writable, "other": elsewhere} {
		if got, ok := copiedBuiltins(bytes.NewReader(memory), v8, m, code); ok {
			t.Errorf("%s: %+v", name, got)
		}
	}
	if got, ok := copiedBuiltins(bytes.NewReader(memory), nil, m, code); ok {
		t.Errorf("without V8: %+v", got)
	}
}

// TestByAddress: a core file may have code at any address, also in the upper half.
func TestByAddress(t *testing.T) {
	want := []uint64{0, 1, 1 << 62, 1<<63 - 1, 1 << 63, 1<<64 - 1}
	for shift := range want {
		var regions []Region
		for i := range want {
			regions = append(regions, Region{Start: want[(i*5+shift)%len(want)]})
		}
		byAddress(regions)
		for i, r := range regions {
			if r.Start != want[i] {
				t.Fatalf("region %d begins at %#x, want %#x", i, r.Start, want[i])
			}
		}
	}
}
