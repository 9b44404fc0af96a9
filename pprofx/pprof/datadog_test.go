package pprof

import (
	"bytes"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/pprof/profile"

	"github.com/hotspan/hotspan/pprofx"
	"github.com/hotspan/hotspan/pprofx/internal/pprofxtest"
)

func TestDatadog(t *testing.T) {
	b := pprofxtest.NewBuilder(0, 1e7)
	add := func(labels ...pprofx.Label) {
		stack := []*pprofx.Frame{{Function: "f"}}
		b.Add(&pprofx.Sample{Time: 5, PID: 1, TID: 7, Thread: "main", Stack: stack, Labels: labels})
	}
	str := func(k, v string) pprofx.Label { return pprofx.Label{Key: k, Str: v} }
	add(str("http.route", "/a/:id"), str("local_root_span_id", "00f067aa0ba902b7"), str("span_id", "ff00000000000001"),
		str("tenant", "acme"), str("trace_id", "4bf92f3577b34da6a3ce929d0e0e4736"))
	add(str("http.request.method", "GET"), str("url.path", "/b"))
	add()
	var buf bytes.Buffer
	pprofxtest.AddAll(t, NewDatadogWriter(&buf), b.Cut(10))
	p, err := profile.Parse(&buf)
	if err != nil {
		t.Fatal(err)
	}
	var got []map[string]any
	for _, s := range p.Sample {
		labels := map[string]any{}
		for k, v := range s.Label {
			labels[k] = v[0]
		}
		for k, v := range s.NumLabel {
			labels[k] = v[0]
		}
		got = append(got, labels)
	}
	thread := func(m map[string]any) map[string]any {
		m["thread name"], m["thread id"], m["pid"], m["vm_state"] = "main", int64(7), int64(1), "other"
		return m
	}
	want := []map[string]any{
		thread(map[string]any{
			"trace endpoint": "/a/:id", "local root span id": int64(67667974448284343), // 0x00F067AA0BA902B7
			"span id": int64(-72057594037927935), // the 64 bits of 18374686479671623681
			"tenant":  "acme", "trace_id": "4bf92f3577b34da6a3ce929d0e0e4736",
		}),
		thread(map[string]any{"trace endpoint": "GET /b"}),
		thread(map[string]any{}),
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
