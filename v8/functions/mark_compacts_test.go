package functions

import (
	"encoding/binary"
	"math"
	"testing"

	"github.com/hotspan/hotspan/v8/heap"
	"github.com/hotspan/hotspan/v8/stack"
)

const countAt = 0x40 // in an isolate

// counted is memory in which an isolate counts its mark-compacts, and the resolver of its samples.
type counted struct {
	*codeSpace
	v *Resolver
}

func newCounted() *counted {
	m, v := newCodeSpace()
	v.Started = 1e6
	v.Now = func() int64 { return 100e6 }
	m.word(madeAt, math.Float64bits(2))
	return &counted{m, v}
}

func (c *counted) markCompacts(n uint32) {
	binary.LittleEndian.PutUint32(c.bytes[isolatePlace+countAt:], n)
}

// sample has a sample named that was taken some time ago, after n mark-compacts; its frame is in code, and not only a
// word of the stack that may be anything. It returns the size of the code; 0: it cannot be told.
func (c *counted) sample(n uint64) uint64 {
	c.v.Begin(Moment{Isolate: isolatePlace, Thread: 1, Taken: 3e6, MarkCompacts: n + 1})
	found := c.v.codeOf(pc)
	if found == nil {
		return 0
	}
	c.v.sampledIn(found, stack.RawFrame{})
	return found.End - found.Start
}

// first is memory that has code of a size after n mark-compacts, in which two samples were: only when code is checked
// in which one was, V8's count is read.
func first(t *testing.T, n, size uint64) *counted {
	t.Helper()
	c := newCounted()
	c.markCompacts(uint32(n))
	c.compile(place, 0x2000, size)
	for range 2 {
		c.v.Renew(0)
		if got := c.sample(n); got != size {
			t.Fatalf("code of %d bytes, want the first", got)
		}
	}
	return c
}

// TestCodeStaysUntilAMarkCompact: code that was freed, and whose place was used again, names the samples that were
// taken before, whenever they are looked at. Those that were taken later are in what is there.
func TestCodeStaysUntilAMarkCompact(t *testing.T) {
	c := first(t, 7, 100)
	c.markCompacts(8)
	c.compile(place, 0x4000, 200)
	c.v.Renew(0)
	if got := c.sample(7); got != 100 {
		t.Errorf("code of %d bytes, want the first, which was there before the mark-compact", got)
	}
	if got := c.sample(8); got != 200 {
		t.Errorf("code of %d bytes, want the second, which is there since the mark-compact", got)
	}
	if got := c.sample(7); got != 0 {
		t.Errorf("code of %d bytes for a sample that may be of the first or the second", got)
	}
	c.markCompacts(9)
	c.compile(place, 0x6000, 300)
	c.markCompacts(10)
	c.v.Renew(0)
	if got := c.sample(9); got != 0 {
		t.Errorf("code of %d bytes, though there was a mark-compact since the sample", got)
	}
}

// TestCodeBeforeTheFirstMarkCompact: the same of an isolate that has had none yet, and none after another.
func TestCodeBeforeTheFirstMarkCompact(t *testing.T) {
	c := first(t, 0, 100)
	c.markCompacts(1)
	c.v.Renew(0)
	if got := c.sample(1); got != 100 {
		t.Fatalf("code of %d bytes, want the first", got)
	}
	c.markCompacts(2)
	c.compile(place, 0x4000, 200)
	c.v.Renew(0)
	for n := range uint64(2) {
		if got := c.sample(n); got != 100 {
			t.Errorf("after %d mark-compacts: code of %d bytes, want the first", n, got)
		}
	}
}

// TestCodeInBetween: what was at a place while no sample was in its code is not known, though the code is there again.
func TestCodeInBetween(t *testing.T) {
	c := first(t, 7, 100)
	for _, n := range []uint32{8, 10} {
		c.markCompacts(n)
		for range 2 {
			c.v.Renew(0)
			c.sample(uint64(n))
		}
	}
	c.markCompacts(11)
	c.compile(place, 0x4000, 200)
	c.v.Renew(0)
	if got := c.sample(10); got != 100 {
		t.Errorf("code of %d bytes, want that which was sampled", got)
	}
	if got := c.sample(9); got != 0 {
		t.Errorf("code of %d bytes at a time when no sample was in it", got)
	}
}

// TestLargeCode: of code that is not kept as a whole more may have to be read, so it must be there.
func TestLargeCode(t *testing.T) {
	c := first(t, 7, maxText+1)
	c.compile(place, 0x4000, 200)
	c.v.Renew(0)
	if got := c.sample(7); got == maxText+1 {
		t.Errorf("code of %d bytes that is gone", got)
	}
}

// TestDeadCode: code in which no sample was since a mark-compact may be dead though its bytes are there, and other code
// may come to its place before the next one.
func TestDeadCode(t *testing.T) {
	c := first(t, 7, 100)
	c.markCompacts(8)
	c.v.Renew(0) // it has not been swept
	c.compile(place, 0x4000, 200)
	c.v.Renew(0)
	if got := c.sample(8); got != 200 {
		t.Errorf("code of %d bytes, want the second", got)
	}
}

// TestCountOfAnotherIsolate: an isolate that takes the place of another counts anew.
func TestCountOfAnotherIsolate(t *testing.T) {
	c := first(t, 1, 100)
	c.word(madeAt, math.Float64bits(2.5))
	c.compile(place, 0x4000, 200)
	c.v.Renew(0)
	if got := c.sample(1); got == 100 {
		t.Error("the code of an isolate that has ended names a sample of the next one")
	}
}

// TestCodeThatStaysIsNotRead: of code that a sample was in since the last mark-compact only V8's count is read.
func TestCodeThatStaysIsNotRead(t *testing.T) {
	c := first(t, 7, 100)
	clear(c.bytes[place:])
	c.reads = 0
	c.v.Renew(0)
	if got := c.sample(7); got != 100 || c.reads != 1 {
		t.Errorf("code of %d bytes by %d reads, want 100 by one", got, c.reads)
	}
	c.markCompacts(8)
	c.v.Renew(0)
	if got := c.sample(8); got != 0 {
		t.Errorf("code of %d bytes, though none is there", got)
	}
}

// TestPlaceNotSeenBefore: code that is found later than a sample was taken names a frame that does not say which
// function's it is only if none can have been freed meanwhile.
func TestPlaceNotSeenBefore(t *testing.T) {
	const found, before = 100e6, 3e6
	for _, test := range []struct {
		name     string
		taken    int64
		compacts uint64 // of 8 until the code is found, and 1
		want     bool
	}{
		{"no mark-compact since", before, 9, true},
		{"a mark-compact since", before, 8, false},
		{"a mark-compact since, at once", found - 1, 8, false},
		{"in a mark-compact", before, 0, false},
		{"in a mark-compact, at once", found - 1, 0, true},
		{"taken after it was found", found, 9, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			c := newCounted()
			c.markCompacts(8)
			c.compile(place, 0x2000, 100)
			c.v.Renew(0)
			c.v.Begin(Moment{Isolate: isolatePlace, Thread: 1, Taken: test.taken, MarkCompacts: test.compacts})
			if got := c.v.codeIn(stack.RawFrame{PC: pc, ID: heap.Identity{Script: -1}}) != nil; got != test.want {
				t.Errorf("a frame without a function: %v, want %v", got, test.want)
			}
			if c.v.codeOf(pc) == nil {
				t.Error("it cannot be compared with a frame's function")
			}
		})
	}
}

// TestSampleOfALaterRound: code that takes the place of other code between two samples is not the first one's, though
// it was found for a sample before that.
func TestSampleOfALaterRound(t *testing.T) {
	c := first(t, 7, 100)
	c.markCompacts(8)
	c.compile(place, 0x4000, 200)
	c.v.Renew(0)
	if got := c.sample(8); got != 200 {
		t.Fatalf("code of %d bytes, want the second", got)
	}
	c.v.Renew(0)
	c.v.Begin(Moment{Isolate: isolatePlace, Thread: 1, Taken: 99e6, MarkCompacts: 7})
	if found := c.v.codeOf(pc); found != nil {
		t.Errorf("code of %d bytes for a sample that was taken before it was found", found.End-found.Start)
	}
}

// TestAsSampled: what a sample refers to is read as it was while no mark-compact has begun since. A sample that was
// taken in one does not say how many there were: it must not be late.
func TestAsSampled(t *testing.T) {
	for _, test := range []struct {
		name     string
		taken    int64
		compacts uint64
		want     bool
	}{
		{"since the last one", 3e6, 8, true},
		{"before the last one", 3e6, 7, false},
		{"in one, just now", 99e6, 0, true},
		{"in one, a while ago", 3e6, 0, false},
	} {
		c := newCounted()
		c.markCompacts(7)
		c.v.Begin(Moment{Isolate: isolatePlace, Thread: 1, Taken: test.taken, MarkCompacts: test.compacts})
		got := c.v.asSampled(func() bool { return true }, func() {})
		if got != test.want || c.v.compacted == test.want {
			t.Errorf("%s: %v, compacted %v; want %v", test.name, got, c.v.compacted, test.want)
		}
	}
}

// TestOutlives: what was read of code after a mark-compact counts for a frame of its function, in a sample that was
// taken after the same one or later.
func TestOutlives(t *testing.T) {
	own, other := heap.Identity{Script: 5, Literal: 3}, heap.Identity{Script: 5, Literal: 4}
	for _, test := range []struct {
		name     string
		compacts uint64
		id       heap.Identity
		want     bool
	}{
		{"before it", 8, own, false},
		{"after it", 9, own, true},
		{"after another one", 10, own, true},
		{"in a mark-compact", 0, own, false},
		{"a frame of another function", 9, other, false},
		{"a frame without a function", 9, heap.Identity{Script: -1}, false},
	} {
		c := newCounted()
		c.v.Begin(Moment{Isolate: isolatePlace, Thread: 1, Taken: 3e6, MarkCompacts: test.compacts})
		read := &code{Code: &heap.Code{}, tables: unread, unsure: &tables{id: own}, unsureAt: 9}
		c.v.outlives(read, stack.RawFrame{ID: test.id})
		if got := read.unsure == nil; got != test.want {
			t.Errorf("%s: %v, want %v", test.name, got, test.want)
		}
	}
}

// TestDeadCodeStaysAsItWas: code that died in a mark-compact may be as it was when the next one has begun, which makes
// nothing true that was read of it in between.
func TestDeadCodeStaysAsItWas(t *testing.T) {
	c := newCounted()
	c.markCompacts(8)
	c.compile(place, 0x2000, 100)
	c.v.Renew(0)
	c.sample(7)
	read := c.v.code.find(pc)
	read.tier, read.unsure, read.unsureAt = TurboFan, &tables{}, 9
	c.markCompacts(9)
	c.v.Renew(0)
	if got := c.sample(7); got != 100 || read.unsure == nil {
		t.Errorf("code of %d bytes, want 100; what was read of it counts: %v", got, read.unsure == nil)
	}
}
