package labels

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hotspan/hotspan/agent/internal/bpf"
	"github.com/hotspan/hotspan/agent/internal/sampler"
	reqctx "github.com/hotspan/hotspan/context"
	"github.com/hotspan/hotspan/context/published"
	"github.com/hotspan/hotspan/pprofx"
)

// threadRecord is a thread context record as OTEP 4947 says: two ids of the bytes 1 and 2, and attributes.
func threadRecord(attributes string) string {
	ids := ""
	for i := range 24 {
		ids += string(rune(1 + i/16))
	}
	return ids + "\x01\x00" + string([]byte{byte(len(attributes)), byte(len(attributes) >> 8)}) + attributes
}

func TestDecodePublished(t *testing.T) {
	str := func(key, s string) pprofx.Label { return pprofx.Label{Key: key, Str: s} }
	span, trace := str("span_id", "0202020202020202"), str("trace_id", "01010101010101010101010101010101")
	node, thread := uint8(bpf.PublishedNode), uint8(bpf.PublishedThread)
	local := func(kind uint8, key, value string) string { return record(kind, uint8(len(key)), key+value) }
	for _, c := range []struct {
		name, context string
		want          []pprofx.Label
		flags         Flags
	}{
		{"record", record(bpf.ContextRecordOTel, node, threadRecord("\x00\x02/x")),
			[]pprofx.Label{str("a", "/x"), span, trace}, Flags{Present: true}},
		{"what the user's rules ask for goes first", record(bpf.ContextRecordOTel, node, threadRecord("\x00\x02/x")) +
			record(bpf.ContextOneByte, 0, "store") + record(bpf.ContextOneByte, 1, "b"),
			[]pprofx.Label{str("a", "store"), str("b", "b"), span, trace}, Flags{Present: true}},
		{"the continuation's over the thread's", record(bpf.ContextRecordOTel, thread, threadRecord("\x00\x02/t")) +
			record(bpf.ContextRecordOTel, node, threadRecord("\x00\x02/n")),
			[]pprofx.Label{str("a", "/n"), span, trace}, Flags{Present: true}},
		{"custom labels", local(bpf.ContextLocalThread, "k", "v") + local(bpf.ContextLocalThread, "k", "w") +
			local(bpf.ContextLocalThread, "e", ""),
			[]pprofx.Label{str("k", "v")}, Flags{Present: true}},
		{"the continuation's custom labels", local(bpf.ContextLocalNode, "k", "node") +
			local(bpf.ContextLocalThread, "k", "thread"),
			[]pprofx.Label{str("k", "node")}, Flags{Present: true}},
		{"unknown key", record(bpf.ContextRecordOTel, node, threadRecord("\x07\x02/x")), []pprofx.Label{span, trace},
			Flags{Present: true, UnknownKey: true}},
		{"cut", record(bpf.ContextRecordOTel, node, threadRecord("\x00\x02/x")[:30]), []pprofx.Label{span, trace},
			Flags{Present: true, OverLimit: true}},
		{"over a limit", record(bpf.ContextOverLimit, 0, ""), []pprofx.Label{}, Flags{OverLimit: true}},
		{"bad label", local(bpf.ContextLocalThread, "", "v"), []pprofx.Label{}, Flags{Present: true, Invalid: true}},
		{"no record", record(bpf.ContextRecordOTel, node, "short"), []pprofx.Label{}, Flags{Present: true}},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := newProcess(t)
			p.published.process = &published.ProcessContext{Keys: []string{"a"}}
			p.published.labelSets = labelSets{}
			for range 2 {
				got, flags := p.Decode(&sampler.Sample{Sample: &bpf.Sample{}, Context: []byte(c.context)})
				if diff := cmp.Diff(c.want, got); diff != "" {
					t.Error(diff)
				}
				kept := p.published.labelSets.len() > 0
				if !kept && flags != c.flags || kept && !c.flags.complete() || p.decoder.labelSets.len() > 0 {
					t.Errorf("%+v, want %+v; kept: %t", flags, c.flags, kept)
				}
			}
		})
	}
}

// TestKeysOfAnotherPublication: the same bytes mean something else when the process has published other keys.
func TestKeysOfAnotherPublication(t *testing.T) {
	p := newProcess(t)
	context := []byte(record(bpf.ContextRecordOTel, uint8(bpf.PublishedNode), threadRecord("\x00\x02/x")))
	for _, key := range []string{"first", "other"} {
		p.published.process = &published.ProcessContext{Keys: []string{key}}
		p.published.labelSets = labelSets{}
		if got, _ := p.Decode(&sampler.Sample{Sample: &bpf.Sample{}, Context: context}); got[0].Key != key {
			t.Errorf("%+v, want the key %s", got, key)
		}
	}
}

func TestDescribe(t *testing.T) {
	derived := pprofx.Process{Executable: "/bin/node", Container: "c0"}
	got := describe(derived, &published.ProcessContext{Resource: []reqctx.Label{
		{Key: "service.name", Str: "shop"}, {Key: "process.pid", Num: 1, IsNum: true},
		{Key: "shard", Num: 7, IsNum: true}, {Key: "process.executable.path", Str: "/x"},
	}})
	want := pprofx.Process{Executable: "/bin/node", Container: "c0", Service: "shop",
		Attributes: []pprofx.Label{{Key: "shard", Num: 7}}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
