package walk

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/cilium/ebpf"
	"github.com/google/go-cmp/cmp"

	"github.com/hotspan/hotspan/agent/internal/bpf"
	"github.com/hotspan/hotspan/agent/internal/bpf/bpftest"
	reqctx "github.com/hotspan/hotspan/context"
	"github.com/hotspan/hotspan/pprofx"
	"github.com/hotspan/hotspan/test/nodes"
)

// firstLabels has a rule for each value of testdata/first.js, and the value; none where there is no such property.
var firstLabels = map[string]string{
	"inside": "in the object", "outside": "in the property array", "computed": "", "shorter.beyond": "",
	"longer.beyond": "in the other class", "account.#plan": "private", "list[1]": "element 1",
	"twoByte": "under a two-byte key", "имя": "under another one", "имi": "",
	"dictionary.user": "in a dictionary", "dictionary.inside": "", `map.get("tenant")`: "at the end",
	`map.get("inside")`: "", `map.get("key3")`: "", `map.get(Symbol.for("some"))`: "under a registered one",
	`small.get("tenant")`: "in a small one", `small.get(Symbol.for("some"))`: "registered in a small one",
	`small.get("outside")`: "", "map.note": "beside the entries", "list.note": "beside the elements",
}

// TestFirstSample: the first sample of objects whose hidden classes and keys were never seen has their labels, without
// the help of the agent, and asks it for nothing but the names of a store's properties.
func TestFirstSample(t *testing.T) {
	p := bpftest.Load(t)
	for _, v := range nodes.Drawn(nodes.Versions(), t.Name()) {
		t.Run(v.Version, func(t *testing.T) {
			k, pages := atFirst(t, p, v.Version, firstLabels, "testdata/first.js")
			s, _ := k.raw(t, pages)
			read, flags := k.labels.Decode(&s)
			if diff := cmp.Diff(labelled(firstLabels), read); diff != "" || flags.Learning || flags.Unreadable {
				t.Errorf("%+v: %s", flags, diff)
			}
		})
	}
}

// labelled are the labels that rules make, sorted, by rule and value; a rule that finds nothing has none.
func labelled(values map[string]string) (out []pprofx.Label) {
	for rule, value := range values {
		if value != "" {
			out = append(out, pprofx.Label{Key: rule, Str: value})
		}
	}
	slices.SortFunc(out, func(a, b pprofx.Label) int { return strings.Compare(a.Key, b.Key) })
	return out
}

// atFirst stops a Node.js in the request of a program, records what rules read of it, which have a label of their own
// name each, and has the BPF program forget all but what the agent has told it: where Node has its async_hooks.
func atFirst(t *testing.T, p *bpftest.Program, version string, labels map[string]string, program string,
	args ...string) (*kernelWalk, map[uint64][]byte) {
	t.Helper()
	th := stopped(t, version, program, args...)
	r := recordThread(t, p, th)
	th.mem = r
	var rules []reqctx.Rule
	for path := range labels {
		rule, err := reqctx.ParseRule("x=" + path)
		if err != nil {
			t.Fatal(err)
		}
		rule.Label = path
		rules = append(rules, rule)
	}
	tree, err := reqctx.NewTree(rules)
	if err != nil {
		t.Fatal(err)
	}
	k := inKernel(t, p, th)
	k.useTree(tree)
	k.config.V8.IsolateTls = th.isolate // no layout has it before Node 20
	k.record(t, r)
	k.forget(t)
	pages := r.Pages
	if k.config.V8.MsCount != 0 {
		pages = k.counts(t, pages)(pages)
	}
	return k, pages
}

// forget has the BPF program forget which hidden classes, keys and symbols it has met, but not what a CPU keeps until
// the next mark-compact.
func (k *kernelWalk) forget(t *testing.T) {
	t.Helper()
	empty[bpf.ShapeKey, bpf.Shape](t, k.program.Shapes)
	empty[bpf.IsolateKey, bpf.IsolateNames](t, k.program.Isolates)
	empty[bpf.ShapeKey, bpf.Resource](t, k.program.Resources)
	empty[bpf.SymbolKey, uint32](t, k.program.Symbols)
}

// empty removes all entries of a map.
func empty[K, V any](t *testing.T, m *ebpf.Map) {
	t.Helper()
	var keys []K
	var key K
	var value V
	for all := m.Iterate(); all.Next(&key, &value); {
		keys = append(keys, key)
	}
	for _, key := range keys {
		if err := m.Delete(key); err != nil {
			t.Fatal(err)
		}
	}
	if err := m.Lookup(key, &value); len(keys) > 0 && !errors.Is(err, ebpf.ErrKeyNotExist) {
		t.Fatalf("%v: not empty: %v", m, err)
	}
}
