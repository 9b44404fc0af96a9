package sampler

import (
	"fmt"
	"slices"
	"sync/atomic"
	"unsafe"

	"github.com/cilium/ebpf"
	"golang.org/x/sys/unix"

	"github.com/hotspan/hotspan/agent/internal/bpf"
)

// Known tells the BPF program what need not be read again: it wakes the agent at once for a sample that refers to
// anything else. It is a table of fingerprints in memory that the program sees, which may forget some for others. It is
// not safe for concurrent use. known.h has the same functions.
type Known struct {
	sets      [][bpf.KnownWays]uint64
	forgotten *uint64 // how many have been removed
	mapped    [2][]byte
	next      int // way that makes room
}

// NewKnown maps the table of BPF programs that are loaded.
func NewKnown(objects *bpf.Objects) (*Known, error) {
	k := &Known{}
	for i, m := range []*ebpf.Map{objects.Known, objects.Consumers} {
		size := int(m.MaxEntries()) * int(m.ValueSize())
		var err error
		if k.mapped[i], err = unix.Mmap(m.FD(), 0, size, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED); err != nil {
			k.Close()
			return nil, fmt.Errorf("map the table of what is known: %w", err)
		}
	}
	k.sets = unsafe.Slice((*[bpf.KnownWays]uint64)(unsafe.Pointer(&k.mapped[0][0])), bpf.KnownSets)
	k.forgotten = &(*bpf.Consumer)(unsafe.Pointer(&k.mapped[1][0])).Forgotten
	return k, nil
}

// Close unmaps the table.
func (k *Known) Close() {
	for _, m := range k.mapped {
		if m != nil {
			unix.Munmap(m)
		}
	}
}

// Add notes that all has been read that naming a frame needs. process is the bpf.Process.Id.
func (k *Known) Add(process uint32, s *Sample, f *bpf.Frame) {
	h := frameFingerprint(fingerprint(uint64(process), s.Isolate, uint64(s.Tid)), f)
	set := &k.sets[h%uint64(len(k.sets))]
	if slices.Contains(set[:], h) {
		return
	}
	way := max(slices.Index(set[:], 0), 0)
	if set[way] != 0 {
		way = k.next % bpf.KnownWays
		k.next++
	}
	k.set(&set[way], h)
}

// set replaces a fingerprint.
func (k *Known) set(at *uint64, h uint64) {
	before := *at
	if atomic.StoreUint64(at, h); before != 0 {
		atomic.AddUint64(k.forgotten, 1) // after it
	}
}

// Clear forgets everything.
func (k *Known) Clear() {
	for i := range k.sets {
		for way := range k.sets[i] {
			k.set(&k.sets[i][way], 0)
		}
	}
}

func fingerprint(a, b, c uint64) uint64 {
	h := a + 0x9e3779b97f4a7c15
	h = (h ^ h>>30 ^ b) * 0xbf58476d1ce4e5b9
	h = (h ^ h>>27 ^ c) * 0x94d049bb133111eb
	return h ^ h>>31
}

func frameFingerprint(isolate uint64, f *bpf.Frame) uint64 {
	function, place := uint64(f.Kind), uint64(0)
	if f.Kind == bpf.FrameJS {
		function = uint64(uint32(f.Script))<<32 | uint64(uint32(f.Literal))
		isolate ^= f.Sfi
	}
	if f.Generated != 0 {
		place = f.Pc >> bpf.CodeBits
	}
	return fingerprint(isolate, function, place)
}
