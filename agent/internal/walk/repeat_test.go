package walk

import (
	"encoding/binary"
	"maps"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hotspan/hotspan/agent/internal/bpf/bpftest"
	"github.com/hotspan/hotspan/test/draw"
	"github.com/hotspan/hotspan/test/nodes"
	memory "github.com/hotspan/hotspan/v8/target"
)

// TestRepeat: a sample of the request of the one before reads what that has read at once, and says the same. Where any
// word of it has changed, the sample says what one does that knows nothing of the one before. Without an
// AsyncContextFrame, as in Node.js 22, it reads the request anew.
func TestRepeat(t *testing.T) {
	p := bpftest.Load(t)
	for _, version := range draw.Share([]string{"22.23.3", "24.21.0", "26.10.0"}, 3, t.Name()) {
		options, _ := nodes.Version{Version: version}.AsyncContextFrame()
		inFrame := len(options) == 0
		for _, tracer := range []string{"opentelemetry", "datadog"} {
			t.Run(version+"/"+tracer, func(t *testing.T) {
				k, r := atRoute(t, p, version, tracer)
				pages := k.known(t, r)
				k.forgetRequest(t)
				whole := k.twice(t, pages)
				again := k.once(t, pages)
				t.Logf("%d reads, and %d of the same request again", whole.nReads, again.nReads)
				if diff := cmp.Diff(whole.labels, again.labels); diff != "" || len(again.labels) == 0 {
					t.Errorf("the same request again: %s", diff)
				}
				if repeats := again.nReads < whole.nReads; repeats != inFrame {
					t.Errorf("it says the same at once: %v, want %v", repeats, inFrame)
				}
				others := 0
				words := k.heapWords(&r.Recording, whole)
				for i, at := range words {
					for _, word := range []uint64{nowhere, wordAt(pages, words[(i+1)%len(words)])} {
						changed := withWord(pages, at, word)
						k.once(t, changed) // what it learns
						k.forgetRequest(t)
						if s := k.twice(t, pages); !slices.Equal(s.labels, whole.labels) {
							pages = k.known(t, r) // what V8 never changes was changed
							k.twice(t, pages)
							changed = withWord(pages, at, word)
						}
						if want := k.asAnew(t, at, changed); !slices.Equal(want.labels, whole.labels) {
							others++
						}
						k.once(t, changed) // it is kept in turn
						k.asAnew(t, at, pages)
					}
				}
				t.Logf("%d words, %d changes that show in the labels", len(words), others)
				if others < 20 {
					t.Errorf("only %d changes show in the labels: the test is for nothing", others)
				}
			})
		}
	}
}

// known returns memory of which the BPF program has kept all that it keeps in an epoch. What it could not read, which
// is recorded then, it keeps as well: so it takes some epochs.
func (k *kernelWalk) known(t *testing.T, r *memory.Recorder) (pages map[uint64][]byte) {
	t.Helper()
	count := k.counts(t, r.Pages)
	for range 12 {
		for _, read := range k.once(t, count(r.Pages)).reads {
			r.Keep(read.At, read.Size)
		}
	}
	pages = count(r.Pages)
	for range 4 {
		k.forgetRequest(t)
		k.once(t, pages)
	}
	return pages
}

// twice takes two samples of one request, the second of which keeps what it has read, and returns the first.
func (k *kernelWalk) twice(t *testing.T, pages map[uint64][]byte) sampled {
	t.Helper()
	first := k.once(t, pages)
	k.once(t, pages)
	return first
}

// asAnew takes a sample of memory in which a word has changed, checks that it says the same as one that knows nothing
// of the one before, and returns that.
func (k *kernelWalk) asAnew(t *testing.T, at uint64, pages map[uint64][]byte) (want sampled) {
	t.Helper()
	got := k.once(t, pages)
	k.forgetRequest(t)
	want = k.once(t, pages)
	if diff := cmp.Diff(want.labels, got.labels); diff != "" || got.flags != want.flags {
		t.Errorf("word 0x%x: %v, want %v\n%s", at, got.flags, want.flags, diff)
	}
	return want
}

func (k *kernelWalk) forgetRequest(t *testing.T) {
	t.Helper()
	if err := k.program.ForgetRequest(); err != nil {
		t.Fatal(err)
	}
}

// wordAt is a word of memory, which has it.
func wordAt(pages map[uint64][]byte, at uint64) uint64 {
	return binary.LittleEndian.Uint64(pages[at&^0xfff][at&0xfff:])
}

// withWord is a copy of memory with another word at an address.
func withWord(pages map[uint64][]byte, at, word uint64) map[uint64][]byte {
	out := maps.Clone(pages)
	page := slices.Clone(out[at&^0xfff])
	binary.LittleEndian.PutUint64(page[at&0xfff:], word)
	out[at&^0xfff] = page
	return out
}
