package walk

import (
	"errors"
	"slices"
	"testing"

	"github.com/hotspan/hotspan/agent/internal/bpf"
	"github.com/hotspan/hotspan/agent/internal/bpf/bpftest"
	"github.com/hotspan/hotspan/agent/internal/elffile"
	"github.com/hotspan/hotspan/agent/internal/process"
	"github.com/hotspan/hotspan/agent/internal/sampler"
	"github.com/hotspan/hotspan/agent/internal/symbolize"
	"github.com/hotspan/hotspan/agent/internal/unwind"
	"github.com/hotspan/hotspan/pprofx"
	"github.com/hotspan/hotspan/test/nodes"
	"github.com/hotspan/hotspan/v8/stack"
)

// TestNameInterrupted: what a signal has interrupted at the first instruction of a function is that function; a return
// address there is of the one before, of which the call is the end.
func TestNameInterrupted(t *testing.T) {
	bpftest.Load(t) // root
	th := stopped(t, nodes.Versions()[0].Version, walkProgram)
	z := symbolize.New(th.process, nil, symbolize.NewNatives(), nil)
	for _, f := range th.walk(th.mem).Frames {
		r, _ := th.process.Mappings.Find(f.PC)
		if f.Kind != stack.FrameNative || r.File == nil || r.File.Symbols == nil {
			continue
		}
		sym, ok := r.File.Symbols.Lookup(f.PC - 1 - r.Bias)
		if !ok {
			continue
		}
		start := sym.Start + r.Bias
		var out pprofx.Sample
		z.Stack(&sampler.Sample{Sample: &bpf.Sample{}, Frames: []bpf.Frame{
			{Pc: start, Kind: bpf.FrameNative, Exact: 1}, {Pc: start, Kind: bpf.FrameNative, Exact: 1},
			{Pc: start, Kind: bpf.FrameNative},
		}}, &out)
		got := out.Stack
		if got[1].Function != sym.Name || got[2].Function == sym.Name {
			t.Errorf("at the start of %s: %s, %s", sym.Name, got[1].Function, got[2].Function)
		}
		return
	}
	t.Fatal("no frame has a symbol")
}

// TestMappedSince: a stack through a file whose unwind rules the BPF program did not have is not complete, though the
// file is known when its frames are named: without rules the walk may have left out callers.
func TestMappedSince(t *testing.T) {
	z, s := stoppedSample(t, nodes.Versions()[0].Version)
	var out pprofx.Sample
	if z.Stack(&s, &out).Broken {
		t.Fatal("the whole stack is not complete")
	}
	i := slices.IndexFunc(s.Frames, func(f bpf.Frame) bool { return f.Kind == bpf.FrameNative })
	if i < 0 {
		t.Fatal("there is no native frame")
	}
	s.Frames[i].Kind = bpf.FrameUnknown
	named := out.Stack[i].Function
	if result := z.Stack(&s, &out); !result.Broken || out.Stack[i].Function != named {
		t.Errorf("%+v, %s, want %s", result, out.Stack[i].Function, named)
	}
}

// noRoom is a BPF program that has room for no unwind rules.
type noRoom struct{}

func (noRoom) AddTable(*unwind.Table) (slot, pages uint32, err error) {
	return 0, 0, errors.New("no room")
}
func (noRoom) RemoveTable(uint32) error { return nil }

// TestNoRoomForRules: nor is a stack complete through a file whose rules have found no room in the BPF maps.
func TestNoRoomForRules(t *testing.T) {
	_, s := stoppedSample(t, nodes.Versions()[0].Version)
	p, err := process.Open(int(s.Tid), elffile.NewCache(noRoom{}))
	if err != nil {
		t.Fatal(err)
	}
	var out pprofx.Sample
	if result := symbolize.New(p, nil, symbolize.NewNatives(), nil).Stack(&s, &out); !result.Broken {
		t.Errorf("%+v", result)
	}
}

// TestWork: naming a stack tells what it took: less once what its frames need has been read.
func TestWork(t *testing.T) {
	z, s := stoppedSample(t, nodes.Versions()[0].Version)
	var out pprofx.Sample
	if first, again := z.Stack(&s, &out).Work, z.Stack(&s, &out).Work; first < len(s.Frames) || again >= first {
		t.Errorf("work %d for %d frames, then %d", first, len(s.Frames), again)
	}
}
