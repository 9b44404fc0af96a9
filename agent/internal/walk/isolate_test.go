package walk

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hotspan/hotspan/agent/internal/bpf"
	"github.com/hotspan/hotspan/agent/internal/bpf/bpftest"
	"github.com/hotspan/hotspan/test/nodes"
)

// TestIsolateAtOnePlace: V8 makes the hashes of symbols by chance, so those of a worker thread's isolate tell nothing
// of a later one at the same address.
func TestIsolateAtOnePlace(t *testing.T) {
	p := bpftest.Load(t)
	for _, v := range nodes.Drawn(nodes.Versions(), t.Name()) {
		t.Run(v.Version, func(t *testing.T) {
			k, pages := atFirst(t, p, v.Version, firstLabels, "testdata/first.js")
			k.raw(t, pages)
			if k.config.V8.MsCount != 0 { // so that a CPU does not know the keys either
				next := k.counts(t, pages)
				next(pages) // as often as atFirst
				pages = next(pages)
			}
			otherIsolate(t, k)
			s, _ := k.raw(t, pages)
			read, flags := k.labels.Decode(&s)
			if diff := cmp.Diff(labelled(firstLabels), read); diff != "" || flags.Learning || flags.Unreadable {
				t.Errorf("%+v: %s", flags, diff)
			}
		})
	}
}

// otherIsolate has the BPF program know of each isolate what was that of another thread, with other symbols.
func otherIsolate(t *testing.T, k *kernelWalk) {
	t.Helper()
	var key bpf.IsolateKey
	var names bpf.IsolateNames
	n := 0
	for all := k.program.Isolates.Iterate(); all.Next(&key, &names); n++ {
		names.Tid++
		for i := range names.Hash {
			names.Hash[i] ^= 0x155
			names.Key[i] = 0
		}
		if err := k.program.Isolates.Put(key, names); err != nil {
			t.Fatal(err)
		}
	}
	if n == 0 {
		t.Fatal("no isolate has names")
	}
}
