package verify

import (
	"encoding/binary"
	"io"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hotspan/hotspan/v8/heap"
	"github.com/hotspan/hotspan/v8/layout"
)

// words is memory of 8-byte words at addresses; all others are zero.
type words map[uint64]uint64

func (m words) ReadAt(p []byte, at int64) (int, error) {
	for i := range p {
		a := uint64(at) + uint64(i)
		p[i] = byte(m[a&^7] >> (8 * (a & 7)))
	}
	return len(p), nil
}

// TestContextBesideAnother: the place of the current context counts only if an object in the slot before or after it
// would not pass for it.
func TestContextBesideAnother(t *testing.T) {
	const isolate, slot, context, class, meta = 0x10000, 0x40, 0x20001, 0x30001, 0x30101
	l := &layout.Layout{}
	for f, n := range map[layout.Field]int64{
		layout.IsolateContext: slot, layout.MapInstanceType: 12, layout.TypeMap: 77,
	} {
		l.Values[f] = layout.Value{N: n, State: layout.Known}
	}
	for _, c := range []struct {
		before, after uint64
		want          bool
	}{
		{0, 0, true},
		{0, 0x7ffe0000, true}, // not an object
		{0, 0x50001, true},    // not an object with a hidden class
		{0, context, false},
		{context, 0, false},
		{0, class, false},
	} {
		m := words{
			isolate + slot - 8: c.before, isolate + slot: context, isolate + slot + 8: c.after,
			context - 1: class, class - 1: meta, meta - 1: meta, meta - 1 + 8: 77 << 32, class - 1 + 8: 77 << 32,
		}
		r := Stopped(m, l, isolate)
		if len(r.Wrong) > 0 || slices.Contains(r.Fields, layout.IsolateContext) != c.want ||
			!slices.Contains(r.Fields, layout.TypeMap) {
			t.Errorf("%#x and %#x beside it: %v %v", c.before, c.after, r.Fields, r.Wrong)
		}
	}
}

// counted counts the reads of memory.
type counted struct {
	io.ReaderAt
	reads int
}

func (m *counted) ReadAt(p []byte, at int64) (int, error) {
	m.reads++
	return m.ReaderAt.ReadAt(p, at)
}

// TestPages: a page is read once until it is forgotten, and reads across pages see both.
func TestPages(t *testing.T) {
	from := &counted{ReaderAt: words{4088: 0x1122334455667788, 4096: 0x99}}
	m := &pages{mem: from}
	m.forget()
	r := heap.NewReader(m, &layout.Layout{})
	for range 3 {
		if w, err := r.WordAt(4092); err != nil || w != 0x99_11223344 {
			t.Errorf("%#x, %v", uint64(w), err)
		}
	}
	if from.reads != 2 {
		t.Errorf("%d reads of two pages", from.reads)
	}
	m.forget()
	b, err := r.Bytes(4088, 8)
	if err != nil || binary.LittleEndian.Uint64(b) != 0x1122334455667788 || from.reads != 3 {
		t.Errorf("%x, %v after %d reads", b, err, from.reads)
	}
	if b, err := r.Bytes(0, 3*pageSize); err != nil || b[4096] != 0x99 || from.reads != 4 {
		t.Errorf("%d bytes, %v after %d reads", len(b), err, from.reads)
	}
}

// entering is memory of an isolate that has no context when it is read first.
type entering struct {
	words
	slot   int64
	reads  int
	absent int // how many times there is no context
}

func (m *entering) ReadAt(p []byte, at int64) (int, error) {
	n, err := m.words.ReadAt(p, at)
	if from := m.slot - at; from >= 0 && from+8 <= int64(n) {
		if m.reads++; m.reads <= m.absent {
			clear(p[from : from+8])
		}
	}
	return n, err
}

// TestNoContext: a context that is missing for an instant is waited for, and one that stays away is no context that is
// right.
func TestNoContext(t *testing.T) {
	const isolate, slot, context, class = 0x10000, 0x40, 0x20001, 0x30001
	l := &layout.Layout{}
	for f, n := range map[layout.Field]int64{
		layout.IsolateContext: slot, layout.MapInstanceType: 12, layout.TypeMap: 77,
	} {
		l.Values[f] = layout.Value{N: n, State: layout.Known}
	}
	for absent, want := range map[int]Result{
		0:         {Fields: []layout.Field{layout.IsolateContext, layout.MapInstanceType, layout.TypeMap}},
		1:         {Fields: []layout.Field{layout.IsolateContext, layout.MapInstanceType, layout.TypeMap}},
		liveTries: {Partly: true},
	} {
		m := &entering{absent: absent, slot: isolate + slot, words: words{
			isolate + slot: context, context - 1: class, class - 1: class, class - 1 + 8: 77 << 32,
		}}
		if diff := cmp.Diff(want, Isolate(m, l, isolate)); diff != "" {
			t.Errorf("absent %d times: (-want +got):\n%s", absent, diff)
		}
	}
}
