package agent

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hotspan/hotspan/agent/internal/bpf"
	"github.com/hotspan/hotspan/agent/internal/sampler"
	"github.com/hotspan/hotspan/pprofx"
)

// TestJobLabels: while the owner collects a sample has the labels of its own job, of its own thread, and of no other.
func TestJobLabels(t *testing.T) {
	first, second := []pprofx.Label{{Key: "id", Num: 1}}, []pprofx.Label{{Key: "id", Num: 2}}
	unreadable := flags{unreadable: true}
	target := &target{jobs: map[uint32]job{}}
	for i, step := range []struct {
		thread    uint32
		work, job uint64
		flags     flags
		read      []pprofx.Label
		want      []pprofx.Label
		left      flags
	}{
		{1, 0x10, 5, unreadable, nil, nil, unreadable}, // nothing is known of it yet
		{1, 0x10, 5, flags{present: true}, first, first, flags{present: true}},
		{1, 0x10, 5, unreadable, nil, first, flags{present: true}},
		{1, 0x10, 6, unreadable, nil, nil, unreadable}, // another job at the same place
		{1, 0x18, 5, unreadable, nil, nil, unreadable},
		{2, 0x10, 5, unreadable, nil, nil, unreadable},
		{1, 0x10, 5, flags{learning: true}, second, second, flags{learning: true}}, // what was read counts
		{1, 0x10, 6, flags{present: true}, second, second, flags{present: true}},
		{1, 0x10, 5, unreadable, nil, nil, unreadable}, // only the last is kept
		{1, 0x10, 7, flags{}, nil, nil, flags{}},       // for nobody
		{1, 0x10, 7, unreadable, nil, nil, flags{}},
	} {
		target.flags = step.flags
		s := &sampler.Sample{Sample: &bpf.Sample{Tid: step.thread, Work: step.work, Job: step.job}}
		if diff := cmp.Diff(step.want, target.jobLabels(s, step.read)); diff != "" || target.flags != step.left {
			t.Errorf("step %d: %+v, want %+v; %s", i, target.flags, step.left, diff)
		}
	}
}
