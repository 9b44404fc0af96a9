package walk

import (
	"encoding/binary"
	"maps"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hotspan/hotspan/agent/internal/bpf/bpftest"
	reqctx "github.com/hotspan/hotspan/context"
	"github.com/hotspan/hotspan/pprofx"
	memory "github.com/hotspan/hotspan/v8/target"
)

// nowhere is a reference to an object that no process can have: no user address.
const nowhere = 0xdead_0000_0001

// TestRouteOrNothing: method and path take the place of a route that there is not, never of one that cannot be read,
// else a request would have two names. Each word that the BPF program reads of the heap leads nowhere in turn.
func TestRouteOrNothing(t *testing.T) {
	p := bpftest.Load(t)
	for _, tracer := range []string{"opentelemetry", "datadog"} {
		t.Run(tracer, func(t *testing.T) {
			k, r := atRoute(t, p, tracer)
			whole := k.sample(t, r.Pages)
			route := []pprofx.Label{{Key: "http.route", Str: "/orders/:id"}}
			if diff := cmp.Diff(route, whole.labels); diff != "" {
				t.Fatal(diff)
			}
			without := 0
			for _, at := range k.heapWords(&r.Recording, whole) {
				s := k.once(t, broken(r.Pages, at))
				if len(s.labels) == 0 {
					without++
				} else if len(s.labels) > 1 || s.labels[0].Key != "http.route" { // its text may be what is broken
					t.Errorf("without the word at 0x%x: %v", at, s.labels)
				}
			}
			if without < 10 {
				t.Errorf("%d samples without a route: the test is for nothing", without)
			}
		})
	}
}

// atRoute stops a Node.js in a request and records what the built-in rules read of it.
func atRoute(t *testing.T, p *bpftest.Program, tracer string) (*kernelWalk, *memory.Recorder) {
	t.Helper()
	th := stopped(t, "24.21.0", "testdata/route.js", tracer)
	r := recordThread(t, p, th)
	th.mem = r
	tree, err := reqctx.NewTree(reqctx.AllKinds.Rules(nil))
	if err != nil {
		t.Fatal(err)
	}
	k := inKernel(t, p, th)
	k.useTree(tree)
	k.record(t, r)
	return k, r
}

// heapWords are the words that the BPF program has read of a recording, but for the stack's.
func (k *kernelWalk) heapWords(r *memory.Recording, s sampled) (words []uint64) {
	low, high := stackOf(k.thread, r)
	for _, read := range s.reads {
		for at := read.At &^ 7; at < read.At+read.Size; at += 8 {
			if page := at &^ 0xfff; (page < low || page > high) && len(r.Pages[page]) == memory.PageSize {
				words = append(words, at)
			}
		}
	}
	slices.Sort(words)
	return slices.Compact(words)
}

// broken is a copy of memory in which the word at an address leads nowhere.
func broken(pages map[uint64][]byte, at uint64) map[uint64][]byte {
	out := maps.Clone(pages)
	page := slices.Clone(out[at&^0xfff])
	binary.LittleEndian.PutUint64(page[at&0xfff:], nowhere)
	out[at&^0xfff] = page
	return out
}
