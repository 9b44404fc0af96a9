package sampler

import (
	"fmt"
	"sync/atomic"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/hotspan/hotspan/agent/internal/bpf"
)

// Known tells the BPF program what need not be read again: it wakes the agent at once for a sample that refers to
// anything else. It is a table of fingerprints in memory that the program sees, which forgets entries when others take
// their place. It is not safe for concurrent use. known.h has the same functions.
type Known struct {
	entries []uint64
	mapped  []byte
}

// NewKnown maps the table of BPF programs that are loaded.
func NewKnown(objects *bpf.Objects) (*Known, error) {
	m := objects.Known
	mapped, err := unix.Mmap(m.FD(), 0, int(m.MaxEntries())*8, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	if err != nil {
		return nil, fmt.Errorf("map the table of what is known: %w", err)
	}
	return &Known{unsafe.Slice((*uint64)(unsafe.Pointer(&mapped[0])), m.MaxEntries()), mapped}, nil
}

// Close unmaps the table.
func (k *Known) Close() { unix.Munmap(k.mapped) }

// Add notes that all has been read that naming a frame needs. process is the bpf.Process.Id.
func (k *Known) Add(process uint32, s *Sample, f *bpf.Frame) {
	h := frameFingerprint(fingerprint(uint64(process), s.Isolate, uint64(s.Tid)), f)
	atomic.StoreUint64(&k.entries[h%uint64(len(k.entries))], h)
}

// Clear forgets everything.
func (k *Known) Clear() {
	for i := range k.entries {
		atomic.StoreUint64(&k.entries[i], 0)
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
