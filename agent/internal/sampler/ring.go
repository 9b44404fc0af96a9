package sampler

import (
	"fmt"
	"os"
	"sync/atomic"
	"unsafe"

	"github.com/cilium/ebpf"
	"golang.org/x/sys/unix"
)

// ring reads the records of a BPF ring buffer in place. It is not safe for concurrent use. (Linux,
// Documentation/bpf/ringbuf.rst; github.com/cilium/ebpf/ringbuf copies records, and waits for them in a system call,
// which keeps the Go runtime awake)
type ring struct {
	consumed, produced *atomic.Uint64 // positions, shared with the kernel; they only grow
	data               []byte         // mapped twice in a row, so that no record wraps
	mask               uint64
	at                 uint64 // position of the first record that was not given back
	ahead              uint64 // position of the record that lookAhead returns
	mapped             [2][]byte
}

// The header of a record: u32 length with two flags, u32 that is of no use here.
const (
	recordHeader = 8
	busyFlag     = 1 << 31 // the record is not written yet
	discardFlag  = 1 << 30
	lengthMask   = discardFlag - 1
	recordAlign  = 8
)

func newRing(m *ebpf.Map) (*ring, error) {
	page, size := os.Getpagesize(), int(m.MaxEntries())
	consumer, err := unix.Mmap(m.FD(), 0, page, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	if err != nil {
		return nil, fmt.Errorf("map the ring buffer: %w", err)
	}
	producer, err := unix.Mmap(m.FD(), int64(page), page+2*size, unix.PROT_READ, unix.MAP_SHARED)
	if err != nil {
		unix.Munmap(consumer)
		return nil, fmt.Errorf("map the ring buffer: %w", err)
	}
	return &ring{
		consumed: (*atomic.Uint64)(unsafe.Pointer(&consumer[0])),
		produced: (*atomic.Uint64)(unsafe.Pointer(&producer[0])),
		data:     producer[page:], mask: uint64(size - 1), mapped: [2][]byte{consumer, producer},
	}, nil
}

func (r *ring) close() {
	for _, b := range r.mapped {
		unix.Munmap(b)
	}
}

// lookAhead returns the first record that it has not returned yet, nil if there is none. It is valid until free.
func (r *ring) lookAhead() []byte {
	b, end := r.record(r.ahead)
	r.ahead = end
	return b
}

// free gives back the records before a position.
func (r *ring) free(to uint64) {
	r.at = to
	r.consumed.Store(to)
}

// empty reports whether each record was given back: none is there, and none is being written.
func (r *ring) empty() bool { return r.at == r.produced.Load() }

// record returns the first record at or behind a position, and the position behind it.
func (r *ring) record(at uint64) (b []byte, end uint64) {
	for at != r.produced.Load() {
		start := at & r.mask
		header := (*atomic.Uint32)(unsafe.Pointer(&r.data[start])).Load()
		if header&busyFlag != 0 {
			break
		}
		n := uint64(header & lengthMask)
		end := at + recordHeader + (n+recordAlign-1)&^(recordAlign-1)
		if header&discardFlag == 0 {
			return r.data[start+recordHeader:][:n:n], end
		}
		at = end
	}
	return nil, at
}
