package sampler

import (
	"encoding/binary"
	"errors"
	"os"
	"runtime"
	"sync/atomic"
	"time"

	"github.com/cilium/ebpf/ringbuf"
	"golang.org/x/sys/unix"

	"github.com/hotspan/hotspan/agent/internal/bpf"
)

// records reads records from the ring buffer as they arrive, and queues them.
type records struct {
	reader        *ringbuf.Reader
	first         func(*Sample)
	raisePriority bool
	queue         chan []byte
	free          chan []byte   // buffers to reuse
	last          []byte        // that next returned
	held          atomic.Int64  // bytes in the queue
	passes        atomic.Uint64 // how often the ring buffer was found empty
	passed        chan struct{} // has an element after such a pass
	ended         chan struct{}
}

// Limits of the queue. When it is full, further records stay in the ring buffer.
const (
	maxQueue  = 1 << 12  // records
	maxHeld   = 16 << 20 // bytes
	pollEvery = 5 * time.Millisecond
)

// Nice is the nice level of threads with a raised priority.
const Nice = -10

func newRecords(r *ringbuf.Reader, first func(*Sample), raisePriority bool) *records {
	q := &records{
		reader: r, first: first, raisePriority: raisePriority,
		queue: make(chan []byte, maxQueue), free: make(chan []byte, 64),
		passed: make(chan struct{}, 1), ended: make(chan struct{}),
	}
	go q.pump()
	return q
}

// stop waits for the end of pump. The reader is closed already.
func (q *records) stop() {
	for {
		select {
		case b := <-q.queue:
			q.held.Add(-int64(len(b)))
		case <-q.ended:
			return
		}
	}
}

// pump runs until the reader is closed. It also polls: a wakeup by the BPF program costs an interrupt.
func (q *records) pump() {
	defer close(q.ended)
	if q.raisePriority {
		// On a busy machine the objects that a request refers to would be gone before it is answered, and samples lack
		// labels until then. The thread ends with the goroutine. Without CAP_SYS_NICE this has no effect.
		runtime.LockOSThread()
		_ = unix.Setpriority(unix.PRIO_PROCESS, 0, Nice)
	}
	var r ringbuf.Record
	for {
		q.reader.SetDeadline(time.Now().Add(pollEvery))
		err := q.reader.ReadInto(&r)
		switch {
		case err == nil:
			q.take(r.RawSample)
		case errors.Is(err, os.ErrDeadlineExceeded):
			q.passes.Add(1)
			select {
			case q.passed <- struct{}{}:
			default:
			}
		default:
			return
		}
	}
}

func (q *records) take(raw []byte) {
	var b []byte
	select {
	case b = <-q.free:
	default:
	}
	b = append(b[:0], raw...)
	if q.first != nil && len(b) >= 4 && binary.LittleEndian.Uint32(b) == bpf.RecordSample {
		if s, err := DecodeSample(b); err == nil {
			q.first(&s)
		}
	}
	for q.held.Load() > maxHeld {
		time.Sleep(time.Millisecond)
	}
	q.held.Add(int64(len(b)))
	q.queue <- b
}

// next waits for a record until the deadline, which gives os.ErrDeadlineExceeded. With a deadline in the past it
// returns that only after all records that were in the ring buffer at the time of the call. A record is valid until the
// next call.
func (q *records) next(deadline time.Time) ([]byte, error) {
	if q.last != nil {
		select {
		case q.free <- q.last:
		default:
		}
		q.last = nil
	}
	enough := q.passes.Load() + 2 // the current pass may have reached the end already
	timer := time.NewTimer(time.Until(deadline))
	defer timer.Stop()
	for {
		select {
		case b := <-q.queue:
			return q.give(b), nil
		default:
		}
		if q.passes.Load() >= enough && len(q.queue) == 0 && time.Until(deadline) <= 0 {
			return nil, os.ErrDeadlineExceeded
		}
		select {
		case b := <-q.queue:
			return q.give(b), nil
		case <-q.passed:
		case <-timer.C:
		case <-q.ended:
			return nil, os.ErrClosed
		}
	}
}

func (q *records) give(b []byte) []byte {
	q.held.Add(-int64(len(b)))
	q.last = b
	return b
}
