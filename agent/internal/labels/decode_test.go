package labels

import (
	"encoding/binary"
	"fmt"
	"log/slog"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hotspan/hotspan/agent/internal/bpf"
	"github.com/hotspan/hotspan/agent/internal/sampler"
	reqctx "github.com/hotspan/hotspan/context"
	"github.com/hotspan/hotspan/pprofx"
)

func newProcess(t testing.TB) *Process {
	t.Helper()
	a, b := reqctx.Rule{Label: "a", Path: []reqctx.Step{{Name: "a"}}},
		reqctx.Rule{Label: "b", Path: []reqctx.Step{{Name: "b"}}}
	tree, err := reqctx.NewTree([]reqctx.Rule{a, b})
	if err != nil {
		t.Fatal(err)
	}
	return NewDecoder(tree, nil, slog.New(slog.DiscardHandler)).Process(nil, nil, pprofx.Process{})
}

// record is a context record of the BPF program: type, label, length and data.
func record(kind, label uint8, data string) string {
	return string(binary.LittleEndian.AppendUint16([]byte{kind, label}, uint16(len(data)))) + data
}

func word(n uint64) string { return string(binary.LittleEndian.AppendUint64(nil, n)) }

func TestDecode(t *testing.T) {
	present := record(bpf.ContextPresent, 0, "")
	str := func(key, s string) pprofx.Label { return pprofx.Label{Key: key, Str: s} }
	for _, c := range []struct {
		name, context string
		want          []pprofx.Label
		flags         Flags
		bad           int64
		kept          bool
	}{
		{"no store", "", nil, Flags{}, 0, false},
		{"a store without labels", present, []pprofx.Label{}, Flags{Present: true}, 0, true},
		{"Latin-1", present + record(bpf.ContextOneByte, 0, "caf\xe9"), []pprofx.Label{str("a", "café")},
			Flags{Present: true}, 0, true},
		{"UTF-16", present + record(bpf.ContextTwoByte, 1, "\x3d\xd8\x00\xde\x16\x4e"),
			[]pprofx.Label{str("b", "\U0001F600世")}, Flags{Present: true}, 0, true},
		{"UTF-16 cut in the middle of a pair", record(bpf.ContextTwoByte, 1, "\x16\x4e\x3d\xd8\x00"),
			[]pprofx.Label{str("b", "世\uFFFD")}, Flags{}, 0, true},
		{"Smi", present + record(bpf.ContextSmi, 1, word(1<<64-5)), []pprofx.Label{{Key: "b", Num: -5}},
			Flags{Present: true}, 0, true},
		{"double", record(bpf.ContextDouble, 1, word(math.Float64bits(2.5))) +
			record(bpf.ContextDouble, 0, word(math.Float64bits(1e9))),
			[]pprofx.Label{{Key: "a", Num: 1e9}, str("b", "2.5")}, Flags{}, 0, true},
		{"booleans", record(bpf.ContextBoolean, 0, word(1)) + record(bpf.ContextBoolean, 1, word(0)),
			[]pprofx.Label{str("a", "true"), str("b", "false")}, Flags{}, 0, true},
		{"of both widths", record(bpf.ContextOneByte, 0, "a-") + record(bpf.ContextMoreTwo, 0, "\x16\x4e") +
			record(bpf.ContextMoreOne, 0, "-\xe9"), []pprofx.Label{str("a", "a-世-é")}, Flags{}, 0, true},
		{"more of another label", record(bpf.ContextOneByte, 0, "a") + record(bpf.ContextMoreOne, 1, "b") +
			record(bpf.ContextCut, 1, ""), []pprofx.Label{str("a", "a")}, Flags{Cut: true}, 0, false},
		{"more of nothing", record(bpf.ContextMoreOne, 0, "b") + record(bpf.ContextMoreTwo, 1, "b"), []pprofx.Label{},
			Flags{}, 0, true},
		{"cut at the limit", record(bpf.ContextOneByte, 0, "abc") + record(bpf.ContextCut, 0, ""),
			[]pprofx.Label{str("a", "abc…")}, Flags{Cut: true}, 0, false},
		{"bytes where text is wanted", record(bpf.ContextBytes, 0, "12345678"), []pprofx.Label{}, Flags{}, 0, true},
		{"number of another size", present + record(bpf.ContextSmi, 1, "1234"), []pprofx.Label{}, Flags{Present: true},
			0, true},
		{"no such label", present + record(bpf.ContextOneByte, 2, "x"), []pprofx.Label{}, Flags{Present: true}, 1,
			false},
		{"part unreadable", present + record(bpf.ContextUnreadable, 0, "") + record(bpf.ContextOneByte, 0, "x"),
			[]pprofx.Label{str("a", "x")}, Flags{Present: true, Unreadable: true}, 0, false},
		{"cut off", present + record(bpf.ContextOneByte, 0, "x") + record(bpf.ContextOneByte, 1, "yz")[:5],
			[]pprofx.Label{str("a", "x")}, Flags{Present: true, Unreadable: true}, 0, false},
		{"to learn", present + record(bpf.ContextLearnWork, 0, "short"), []pprofx.Label{},
			Flags{Present: true, Learning: true}, 0, false},
		{"to learn what was read slowly", present + record(bpf.ContextLearnResource, 0, word(1)+word(2)) +
			record(bpf.ContextOneByte, 0, "x"), []pprofx.Label{str("a", "x")}, Flags{Present: true}, 0, true},
		{"to learn where there is no store", record(bpf.ContextLearnResource, 0, word(1)+word(2)), []pprofx.Label{},
			Flags{}, 0, true},
		{"of an unknown type", present + record(99, 0, "x"), []pprofx.Label{}, Flags{Present: true, Learning: true}, 0,
			false},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := newProcess(t)
			s := &sampler.Sample{Sample: &bpf.Sample{}, Context: []byte(c.context)}
			got, flags := p.Decode(s)
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Error(diff)
			}
			if flags != c.flags || p.decoder.BadValues != c.bad {
				t.Errorf("%+v and %d bad values, want %+v and %d", flags, p.decoder.BadValues, c.flags, c.bad)
			}
			if _, kept := p.decoder.labelSets.get([]byte(c.context)); kept != c.kept {
				t.Errorf("kept: %v", kept)
			}
			for _, l := range got {
				if !p.decoder.Matched(l.Key) {
					t.Errorf("label %s counts as not matched", l.Key)
				}
			}
			again, flags := p.Decode(s)
			if diff := cmp.Diff(got, again); diff != "" || flags != c.flags {
				t.Errorf("the second time %+v: %s", flags, diff)
			}
		})
	}
}

// TestLabelSetsAreBounded: those that were met last are kept, and those that are met again and again.
func TestLabelSetsAreBounded(t *testing.T) {
	p := newProcess(t)
	context := func(i int) []byte { return []byte(record(bpf.ContextOneByte, 0, fmt.Sprint(i))) }
	const n = 10 * maxLabelSets
	for i := range n {
		for _, context := range [][]byte{context(i), context(0)} {
			got, _ := p.Decode(&sampler.Sample{Sample: &bpf.Sample{}, Context: context})
			if len(got) != 1 {
				t.Fatalf("labels %+v", got)
			}
		}
		if all := p.decoder.labelSets.len(); all > 2*maxLabelSets {
			t.Fatalf("%d sets of labels", all)
		}
	}
	for i, want := range map[int]bool{0: true, n - 1: true, n - maxLabelSets/2: true, 1: false} {
		if _, ok := p.decoder.labelSets.get(context(i)); ok != want {
			t.Errorf("set %d is kept: %t", i, ok)
		}
	}
	p.decoder.Forget()
	if n := p.decoder.labelSets.len(); n != 0 {
		t.Errorf("%d sets of labels after all were forgotten", n)
	}
}

// In a collection the context is read twice, and what both readings have counts.
func TestDecodeReadings(t *testing.T) {
	str := func(key, s string) pprofx.Label { return pprofx.Label{Key: key, Str: s} }
	again := record(bpf.ContextAgain, bpf.NoLabel, "")
	one := func(label uint8, s string) string { return record(bpf.ContextOneByte, label, s) }
	for _, c := range []struct {
		name, context string
		want          []pprofx.Label
		unreadable    bool
	}{
		{"equal", one(0, "x") + one(1, "y") + again + one(0, "x") + one(1, "y"),
			[]pprofx.Label{str("a", "x"), str("b", "y")}, false},
		{"a value that changed", one(0, "x") + one(1, "y") + again + one(0, "x") + one(1, "z"),
			[]pprofx.Label{str("a", "x")}, true},
		{"a value that was not there yet", one(0, "x") + again + one(0, "x") + one(1, "z"),
			[]pprofx.Label{str("a", "x")}, true},
		{"nothing the second time", one(0, "x") + again, []pprofx.Label{}, true},
		{"read once", one(0, "x"), []pprofx.Label{str("a", "x")}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := newProcess(t)
			for range 2 { // the second time from what is kept
				got, flags := p.Decode(&sampler.Sample{Sample: &bpf.Sample{}, Context: []byte(c.context)})
				if diff := cmp.Diff(c.want, got); diff != "" || flags.Unreadable != c.unreadable {
					t.Errorf("unreadable %t; (-want +got):\n%s", flags.Unreadable, diff)
				}
			}
		})
	}
}

// typical is the context of a request as tracers have it: a store with ids and a route.
func typical() *sampler.Sample {
	context := record(bpf.ContextPresent, 0, "") + record(bpf.ContextOneByte, 0, "4bf92f3577b34da6a3ce929d0e0e4736") +
		record(bpf.ContextOneByte, 1, "00f067aa0ba902b7") + record(bpf.ContextTwoByte, 1, "/\x00a\x00") +
		record(bpf.ContextSmi, 1, word(1)) + record(bpf.ContextOneByte, 0, "/api/v1/customers/:customer/orders")
	return &sampler.Sample{Sample: &bpf.Sample{}, Context: []byte(context)}
}

func TestDecodeOfKnownBytesAllocatesNothing(t *testing.T) {
	p, s := newProcess(t), typical()
	p.Decode(s)
	if n := testing.AllocsPerRun(1000, func() { p.Decode(s) }); n != 0 {
		t.Errorf("%v allocations a sample, want 0", n)
	}
}

func BenchmarkDecodeKnown(b *testing.B) {
	p, s := newProcess(b), typical()
	b.ReportAllocs()
	for b.Loop() {
		p.Decode(s)
	}
}
