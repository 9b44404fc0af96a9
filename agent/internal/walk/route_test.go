package walk

import (
	"bytes"
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
// else a request would have two names. Each word that the BPF program reads of the heap leads nowhere in turn: while
// the program knows what it has read before, after a mark-compact, which may have put other hidden classes in the place
// of those that it has met, and where it has never met the keys. Then nothing tells a text from another one.
func TestRouteOrNothing(t *testing.T) {
	p := bpftest.Load(t)
	for _, tracer := range []string{"opentelemetry", "datadog"} {
		t.Run(tracer, func(t *testing.T) {
			k, r := atRoute(t, p, "24.21.0", tracer)
			count := k.counts(t, r.Pages)
			whole := k.sample(t, count(r.Pages))
			route := []pprofx.Label{{Key: "http.route", Str: "/orders/:id"}}
			if diff := cmp.Diff(route, whole.labels); diff != "" {
				t.Fatal(diff)
			}
			known, unknown, first := 0, 0, 0 // samples without a route
			judge := func(at uint64, s sampled, without *int) {
				if len(s.labels) == 0 {
					*without++
				} else if len(s.labels) > 1 || s.labels[0].Key != "http.route" { // its text may be what is broken
					t.Errorf("without the word at 0x%x: %v", at, s.labels)
				}
			}
			words := k.heapWords(&r.Recording, k.once(t, count(r.Pages)))
			k.forget(t)
			words = append(words, k.heapWords(&r.Recording, k.once(t, count(r.Pages)))...)
			slices.Sort(words)
			for _, at := range slices.Compact(words) {
				pages := count(r.Pages)
				k.once(t, pages)
				judge(at, k.once(t, broken(pages, at)), &known)
				if isText(r.Pages[at&^0xfff][at&0xfff:][:8]) {
					continue
				}
				judge(at, k.once(t, broken(count(r.Pages), at)), &unknown)
				k.forget(t)
				judge(at, k.once(t, broken(count(r.Pages), at)), &first)
			}
			if known < 10 || unknown <= known || first < unknown {
				t.Errorf("%d, %d and %d samples without a route: the test is for nothing", known, unknown, first)
			}
		})
	}
}

// isText reports whether a word is characters of a text, or its end.
func isText(word []byte) bool {
	text := bytes.TrimRight(word, "\x00")
	return len(text) > 0 && !bytes.ContainsFunc(text, func(r rune) bool { return r < ' ' || r > '~' })
}

// counts returns a function that copies memory and counts a mark-compact more in each copy.
func (k *kernelWalk) counts(t *testing.T, pages map[uint64][]byte) func(map[uint64][]byte) map[uint64][]byte {
	t.Helper()
	v8 := &k.config.V8
	if v8.MsCount == 0 {
		t.Fatal("the count of mark-compacts is not known")
	}
	s, _ := k.raw(t, pages)
	at, n := s.Isolate+uint64(v8.GcState)+uint64(v8.MsCount), uint32(1000)
	return func(pages map[uint64][]byte) map[uint64][]byte {
		n++
		return written(pages, at, n)
	}
}

// atRoute stops a Node.js in a request and records what the built-in rules read of it.
func atRoute(t *testing.T, p *bpftest.Program, version, tracer string) (*kernelWalk, *memory.Recorder) {
	t.Helper()
	th := stopped(t, version, "testdata/route.js", tracer)
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
