package labels

import (
	"bytes"
	"encoding/binary"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hotspan/hotspan/agent/internal/bpf"
	"github.com/hotspan/hotspan/agent/internal/process"
	"github.com/hotspan/hotspan/agent/internal/sampler"
	"github.com/hotspan/hotspan/context/nodejs"
	"github.com/hotspan/hotspan/pprofx"
	"github.com/hotspan/hotspan/v8/heap"
	"github.com/hotspan/hotspan/v8/layout"
)

// TestJobLabels: while the owner collects a sample has the labels of its own job, of its own thread, and of no other.
func TestJobLabels(t *testing.T) {
	first, second := []pprofx.Label{{Key: "id", Num: 1}}, []pprofx.Label{{Key: "id", Num: 2}}
	entered := []pprofx.Label{{Key: "own", Num: 3}}
	unreadable := Flags{Unreadable: true}
	ends := map[int]bool{15: true} // steps before which a thread of the process ends
	end := int64(0)
	p := &Process{
		jobs: map[uint32]job{}, lastEnd: func() int64 { return end },
		config:  &bpf.Process{Pool: bpf.Pool{Call: 0x2000}},
		process: &process.Process{Mappings: &process.Mappings{}},
	}
	for i, step := range []struct {
		thread    uint32
		work, job uint64
		flags     Flags
		read      []pprofx.Label
		want      []pprofx.Label
		left      Flags
	}{
		{1, 0x10, 5, unreadable, nil, nil, unreadable}, // nothing is known of it yet
		{1, 0x10, 5, Flags{Present: true}, first, first, Flags{Present: true}},
		{1, 0x10, 5, unreadable, nil, first, Flags{Present: true}},
		{1, 0x10, 6, unreadable, nil, nil, unreadable}, // another job at the same place
		{1, 0x18, 5, unreadable, nil, nil, unreadable},
		{2, 0x10, 5, unreadable, nil, nil, unreadable},
		{1, 0x10, 5, Flags{Learning: true}, second, second, Flags{Learning: true}}, // what was read counts
		{1, 0x10, 6, Flags{Present: true}, second, second, Flags{Present: true}},
		{1, 0x10, 5, unreadable, nil, nil, unreadable}, // only the last is kept
		{1, 0x10, 7, Flags{}, nil, nil, Flags{}},       // for nobody
		{1, 0x10, 7, unreadable, nil, nil, Flags{}},
		// 8 enters a context of its own, and leaves it
		{1, 0x10, 8, Flags{Present: true}, first, first, Flags{Present: true}},
		{1, 0x10, 8, Flags{Present: true}, entered, entered, Flags{Present: true}},
		{1, 0x10, 8, unreadable, entered, entered, unreadable},
		{1, 0x10, 8, unreadable, nil, first, Flags{Present: true}},
		{1, 0x10, 8, unreadable, nil, nil, unreadable}, // it may be another isolate's
		{1, 0x10, 8, Flags{Present: true}, first, first, Flags{Present: true}},
		{1, 0x10, 8, unreadable, nil, first, Flags{Present: true}},
	} {
		if ends[i] {
			end = int64(i)
		}
		p.flags = step.flags
		s := &sampler.Sample{Sample: &bpf.Sample{
			Tid: step.thread, Work: step.work, Job: step.job, Time: uint64(i + 1),
		}, Frames: []bpf.Frame{{Pc: 0x1000}, {Pc: 0x2000}}} // a function that worker() has called
		if len(step.read) > 0 && step.read[0].Key == "own" {
			s.Context = []byte(record(bpf.ContextRecordOTel, uint8(bpf.PublishedThread), "of the thread"))
		}
		if diff := cmp.Diff(step.want, p.jobLabels(s, step.read)); diff != "" || p.flags != step.left {
			t.Errorf("step %d: %+v, want %+v; %s", i, p.flags, step.left, diff)
		}
	}
}

// TestKeptOfNewCode: nothing is told of code that is not known yet, so that the BPF program asks again. There is no
// sampler that would take it.
func TestKeptOfNewCode(t *testing.T) {
	p := &Process{decoder: &Decoder{}, process: &process.Process{Mappings: &process.Mappings{}}, config: &bpf.Process{}}
	p.learnKept(0x1000)
}

// TestLearnWork: a record of another size is malformed, and an object that cannot be one of Node's teaches nothing.
func TestLearnWork(t *testing.T) {
	p := &Learner{heap: heap.NewReader(bytes.NewReader(nil), &layout.Layout{})}
	size := binary.Size(bpf.JobObject{})
	for _, n := range []int{0, 16, size - 1, size + 1} {
		if err := p.learnWork(make([]byte, n)); !errors.Is(err, sampler.ErrMalformed) {
			t.Errorf("%d bytes: %v", n, err)
		}
	}
	if err := p.learnWork(make([]byte, size)); !errors.Is(err, nodejs.ErrUnknownClass) {
		t.Errorf("an AsyncWrap without an id: %v", err)
	}
}
