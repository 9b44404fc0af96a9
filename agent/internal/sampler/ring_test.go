package sampler

import (
	"encoding/binary"
	"math/rand/v2"
	"slices"
	"sync/atomic"
	"testing"
)

// fakeRing is a ring buffer whose producer is the test. Its memory is not mapped twice: put writes both halves.
type fakeRing struct {
	ring
	produce atomic.Uint64
	consume atomic.Uint64
}

func newFakeRing(size int) *fakeRing {
	f := &fakeRing{}
	f.consumed, f.produced, f.data, f.mask = &f.consume, &f.produce, make([]byte, 2*size), uint64(size-1)
	return f
}

// put writes a record as the kernel does (bpf_ringbuf_output), and reports whether there was room for it.
func (f *fakeRing) put(b []byte, flags uint32) bool {
	at, size := f.produce.Load(), uint64(len(f.data)/2)
	end := at + uint64(recordHeader+len(b)+recordAlign-1)&^(recordAlign-1)
	if end-f.consume.Load() > size {
		return false
	}
	whole := binary.LittleEndian.AppendUint32(nil, uint32(len(b))|flags)
	whole = append(append(whole, 0, 0, 0, 0), b...)
	for i, c := range whole {
		place := (at + uint64(i)) & f.mask
		f.data[place], f.data[place+size] = c, c
	}
	f.produce.Store(end)
	return true
}

func oneProcess([]byte) uint32 { return 1 }

// TestRing: every record that found room is read once, in order, whatever was looked at ahead; a place is free only
// when its record has been read and the next one asked for.
func TestRing(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	f := newFakeRing(1 << 10)
	records := newTurns(&f.ring, oneProcess)
	var want, ahead [][]byte
	for range 100_000 {
		switch random.IntN(4) {
		case 0, 1:
			b := make([]byte, random.IntN(200))
			for i := range b {
				b[i] = byte(random.Uint32())
			}
			discard := uint32(random.IntN(8)/7) * discardFlag
			if f.put(b, discard) && discard == 0 {
				want, ahead = append(want, b), append(ahead, b)
			}
		case 2:
			b := records.next()
			if len(want) == 0 {
				if b != nil {
					t.Fatalf("%x, want nothing", b)
				}
				continue
			}
			if !slices.Equal(b, want[0]) || b == nil {
				t.Fatalf("%x, want %x", b, want[0])
			}
			if len(ahead) == len(want) {
				ahead = ahead[1:]
			}
			want = want[1:]
		case 3:
			b := records.lookAhead()
			if len(ahead) == 0 && b != nil || len(ahead) > 0 && !slices.Equal(b, ahead[0]) {
				t.Fatalf("ahead: %x, want the first of %x", b, ahead)
			}
			ahead = ahead[min(1, len(ahead)):]
		}
		if b := f.at - f.consume.Load(); b > uint64(len(f.data)/2) {
			t.Fatalf("%d bytes are kept", b)
		}
	}
}

// A record that is being written ends what can be read.
func TestRingBusy(t *testing.T) {
	f := newFakeRing(1 << 10)
	records := newTurns(&f.ring, oneProcess)
	f.put([]byte("first"), 0)
	at := f.produce.Load()
	f.put([]byte("second"), busyFlag)
	f.put([]byte("third"), 0)
	if b := records.lookAhead(); string(b) != "first" {
		t.Errorf("%q", b)
	}
	if b := records.lookAhead(); b != nil {
		t.Errorf("%q was not written yet", b)
	}
	if b, none := records.next(), records.next(); string(b) != "first" || none != nil {
		t.Errorf("%q, %q", b, none)
	}
	binary.LittleEndian.PutUint32(f.data[at:], uint32(len("second"))) // now it is
	if a, b, c := records.lookAhead(), records.next(), records.next(); string(a) != "second" || string(b) != "second" ||
		string(c) != "third" {
		t.Errorf("%q, %q, %q", a, b, c)
	}
	if b := records.next(); b != nil {
		t.Errorf("%q, want nothing", b)
	}
}
