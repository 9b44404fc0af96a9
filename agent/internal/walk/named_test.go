package walk

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hotspan/hotspan/agent/internal/bpf/bpftest"
	"github.com/hotspan/hotspan/agent/internal/labels"
	"github.com/hotspan/hotspan/pprofx"
	"github.com/hotspan/hotspan/test/nodes"
	memory "github.com/hotspan/hotspan/v8/target"
)

// namedLabels has a rule for each AsyncLocalStorage of testdata/named.js that has a name, and what it finds.
var namedLabels = map[string]string{
	`als("derived")`: "of a derived class", `als("flat")`: "of a flat name",
	`als("it was put together")`: "of a name in parts", `als("part of a long text")`: "of a part of a text",
	`als("twoByte")`: "of a two-byte name", `als("имя")`: "of another one", `als("7")`: "of a number",
	`als("` + strings.Repeat("x", 64) + `")`: "of the longest name", `als("in a dictionary")`: "of a dictionary",
	`als("object").id`: "in an object", `als("boolean")`: "true", `als("undefined")`: "", `als("имя-in two forms")`: "",
}

// TestFirstSampleNamed: the first sample in which AsyncLocalStorages are current that were never met has the labels of
// the rules that name them, without the help of the agent.
func TestFirstSampleNamed(t *testing.T) {
	p := bpftest.Load(t)
	for _, v := range nodes.Drawn(nodes.Versions(), t.Name()) {
		t.Run(v.Version, func(t *testing.T) {
			want := labelled(namedLabels)
			if !v.StorageNames() {
				want = []pprofx.Label{}
			}
			k, pages := atFirst(t, p, v.Version, namedLabels, "testdata/named.js")
			s, _ := k.raw(t, pages)
			read, flags := k.labels.Decode(&s)
			if diff := cmp.Diff(want, read); diff != "" || flags != (labels.Flags{Present: true}) {
				t.Errorf("%+v: %s", flags, diff)
			}
		})
	}
}

// TestUnreadableName: a name that is not read counts, in each sample.
func TestUnreadableName(t *testing.T) {
	k, pages := atFirst(t, bpftest.Load(t), "24.21.0", namedLabels, "testdata/named.js", "mixed")
	for range 2 {
		got := k.once(t, pages)
		diff := cmp.Diff(labelled(namedLabels), got.labels)
		if diff != "" || got.flags != (labels.Flags{Present: true, Unreadable: true}) {
			t.Errorf("%+v: %s", got.flags, diff)
		}
	}
}

// TestNamedOrNothing: the labels of an AsyncLocalStorage are never those of another one. Each word that the BPF program
// reads of the heap leads nowhere in turn, both where it knows what it has read before and where it does not.
func TestNamedOrNothing(t *testing.T) {
	p := bpftest.Load(t)
	k, pages := atFirst(t, p, "24.21.0", namedLabels, "testdata/named.js")
	want := labelled(namedLabels)
	whole := k.once(t, pages)
	if diff := cmp.Diff(want, whole.labels); diff != "" {
		t.Fatal(diff)
	}
	k.forget(t)
	first := k.once(t, k.counts(t, pages)(pages))
	missing := 0
	for _, s := range []sampled{whole, first} {
		for _, at := range k.heapWords(&memory.Recording{Pages: pages}, s) {
			if isText(pages[at&^0xfff][at&0xfff:][:8]) {
				continue // nothing tells a text from another one
			}
			k.forget(t)
			got := k.once(t, k.counts(t, pages)(broken(pages, at)))
			for _, l := range got.labels {
				if own := namedLabels[l.Key]; own == "" || !strings.HasPrefix(l.Str, own) { // its length may be broken
					t.Errorf("without the word at 0x%x: %v", at, l)
				}
			}
			if len(got.labels) < len(want) {
				missing++
			}
		}
	}
	if missing < 100 {
		t.Errorf("%d samples lack labels: the test is for nothing", missing)
	}
}
