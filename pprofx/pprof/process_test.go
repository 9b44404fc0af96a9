package pprof

import (
	"bytes"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/pprof/profile"

	"github.com/hotspan/hotspan/pprofx"
	"github.com/hotspan/hotspan/pprofx/internal/pprofxtest"
)

func TestProcesses(t *testing.T) {
	b := pprofxtest.NewBuilder(0, 1)
	b.SetProcess(8, pprofx.Process{Executable: "/usr/bin/node"})
	b.SetProcess(9, pprofx.Process{Service: "shop", Attributes: []pprofx.Label{{Key: "service.version", Str: "1.2"},
		{Key: "shard", Num: 0}}})
	b.Lose(pprofx.LostLate, 2)
	for _, pid := range []int{8, 9} {
		b.Add(&pprofx.Sample{PID: pid, Stack: []*pprofx.Frame{{Function: "f"}}})
	}
	want := []string{"lost: 2 late", "process 9: service.name=shop service.version=1.2 shard=0"}
	if diff := cmp.Diff(want, roundTrip(t, b.Cut(1)).Comments); diff != "" {
		t.Error(diff)
	}
}

// TestReusedPID: of two processes that had one pid, neither is described as the other. Samples do not say which it
// was: what is read back is so of both.
func TestReusedPID(t *testing.T) {
	var file bytes.Buffer
	w := newWriter(&file, hotspanStyle)
	for _, s := range pprofxtest.ReusedPID(t) {
		if err := w.Add(s); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	p, err := profile.ParseData(file.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		`process 1: service.name=first service.version="1 of first" tier=web`,
		`process 1: service.name=second service.version="1 of second" tier=web`,
		"process 2: service.name=other",
	}
	if diff := cmp.Diff(want, p.Comments); diff != "" {
		t.Error(diff)
	}
	s, err := Read(&file)
	if err != nil {
		t.Fatal(err)
	}
	common := map[int]pprofx.Process{1: {Attributes: []pprofx.Label{{Key: "tier", Str: "web"}}}, 2: {Service: "other"}}
	if diff := cmp.Diff(common, s.Processes); diff != "" {
		t.Error(diff)
	}
}

// TestOfUnknown: that nothing is known of one of two processes is said, since their samples cannot be told apart.
func TestOfUnknown(t *testing.T) {
	all := pprofxtest.ReusedPID(t)
	delete(all[1].Processes, 1)
	w := newWriter(&bytes.Buffer{}, hotspanStyle)
	for _, s := range all {
		if err := w.Add(s); err != nil {
			t.Fatal(err)
		}
	}
	want := []string{
		`process 1: service.name=first service.version="1 of first" tier=web`, "process 1:",
		"process 2: service.name=other",
	}
	if diff := cmp.Diff(want, w.fold.header.comments(pprofx.LeftOut{})); diff != "" {
		t.Error(diff)
	}
}
