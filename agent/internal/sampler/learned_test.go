package sampler

import (
	"slices"
	"testing"

	"github.com/cilium/ebpf"
	"golang.org/x/sys/unix"
)

// key is that of a process's entries in a map that is as small as it can be.
type key struct{ Process, N uint32 }

func newTestMap(t *testing.T, entries uint32) *learned[key] {
	t.Helper()
	m, err := ebpf.NewMap(&ebpf.MapSpec{
		Type: ebpf.Hash, KeySize: 8, ValueSize: 4, MaxEntries: entries, Flags: unix.BPF_F_NO_PREALLOC,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { m.Close() })
	return newLearned[key](m)
}

// entriesOf returns the numbers of a process's entries in the map.
func (l *learned[K]) entriesOf(t *testing.T, process uint32) (numbers []uint32) {
	t.Helper()
	var k key
	var v uint32
	for i := l.entries.Iterate(); i.Next(&k, &v); {
		if k.Process == process {
			numbers = append(numbers, k.N)
		}
	}
	slices.Sort(numbers)
	return numbers
}

func put(t *testing.T, l *learned[key], process, n, value uint32) {
	t.Helper()
	if err := l.put(process, key{process, n}, value); err != nil {
		t.Fatalf("process %d, entry %d: %v", process, n, err)
	}
}

// An entry is there until its process ends, and none comes after that.
func TestLearnedUntilEnd(t *testing.T) {
	l := newTestMap(t, 64)
	for n := range uint32(3) {
		put(t, l, 1, n, 0)
		put(t, l, 2, n, 0)
	}
	put(t, l, 1, 0, 77)
	var v uint32
	if err := l.entries.Lookup(key{1, 0}, &v); err != nil || v != 77 {
		t.Errorf("value %d, %v, want that of the update", v, err)
	}
	l.forget(1)
	put(t, l, 1, 9, 0)
	if got := l.entriesOf(t, 1); len(got) > 0 {
		t.Errorf("entries %v of a process that has ended", got)
	}
	if got := l.entriesOf(t, 2); !slices.Equal(got, []uint32{0, 1, 2}) {
		t.Errorf("entries %v of the other one", got)
	}
	if len(l.keys) != 1 {
		t.Errorf("keys of %d processes are kept", len(l.keys))
	}
}

// In a full map the process with most entries loses its oldest.
func TestLearnedFull(t *testing.T) {
	l := newTestMap(t, 8)
	for n := range uint32(7) {
		put(t, l, 1, n, 0)
	}
	for n := range uint32(3) {
		put(t, l, 2, n, 0)
	}
	if got := l.entriesOf(t, 2); !slices.Equal(got, []uint32{0, 1, 2}) {
		t.Errorf("entries %v of the second process", got)
	}
	if got := l.entriesOf(t, 1); !slices.Equal(got, []uint32{2, 3, 4, 5, 6}) {
		t.Errorf("entries %v of the first process", got)
	}
}

// A process has at most maxLearned entries: the last ones.
func TestLearnedOfOne(t *testing.T) {
	l := newTestMap(t, 2*maxLearned)
	for n := range uint32(maxLearned + 10) {
		put(t, l, 1, n, 0)
	}
	got := l.entriesOf(t, 1)
	if len(got) != maxLearned || got[0] != 10 {
		t.Errorf("%d entries from %d on", len(got), got[0])
	}
}
