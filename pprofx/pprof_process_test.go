package pprofx

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestPprofProcesses(t *testing.T) {
	b := newTestBuilder(0, 1)
	b.SetProcess(8, Process{Executable: "/usr/bin/node"})
	b.SetProcess(9, Process{Service: "shop", Attributes: []Label{{Key: "service.version", Str: "1.2"},
		{Key: "shard", Num: 0}}})
	b.Lose(LostLate, 2)
	for _, pid := range []int{8, 9} {
		b.Add(&Sample{PID: pid, Stack: []*Frame{{Function: "f"}}})
	}
	want := []string{"lost: 2 late", "process 9: service.name=shop service.version=1.2 shard=0"}
	if diff := cmp.Diff(want, roundTrip(t, b.Cut(1)).Comments); diff != "" {
		t.Error(diff)
	}
}
