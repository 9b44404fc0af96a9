package sampler

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"unsafe"

	"github.com/hotspan/hotspan/agent/internal/bpf"
)

// ErrMalformed says that a record of the ring buffer is not in the format of the BPF program.
var ErrMalformed = errors.New("malformed record")

// Sample is a decoded sample. It refers to the record and is valid until the next one is read.
type Sample struct {
	*bpf.Sample
	Kernel  []uint64    // kernel addresses, leaf first
	Frames  []bpf.Frame // user frames, leaf first; after the first bpf.KeptLeaf, Skipped frames are missing
	Stack   []uint64    // words from the stack pointer of the first frame of V8 up
	Context []byte      // context records
}

// Hit reports whether a probe, or the end of a wait, took the sample, as far as is known of one that is malformed.
func (s *Sample) Hit() bool { return s != nil && s.Sample != nil && s.Probe != 0 }

// Hits returns how many hits of a probe a sample stands for, as far as is known of one that is malformed; 1 of others.
func (s *Sample) Hits() int64 {
	if s == nil || s.Sample == nil {
		return 1
	}
	return 1 + int64(s.Others)
}

// DecodeSample decodes a record: the header has the number of elements of each array that follows.
func DecodeSample(b []byte) (Sample, error) {
	s := Sample{}
	var err error
	if s.Sample, err = decodeHeader(b); err != nil {
		return s, err
	}
	b = b[unsafe.Sizeof(bpf.Sample{}):]
	var ok1, ok2, ok3, ok4 bool
	s.Kernel, b, ok1 = take[uint64](b, s.N_kernel)
	s.Frames, b, ok2 = take[bpf.Frame](b, s.N_frames)
	s.Stack, b, ok3 = take[uint64](b, s.N_stack)
	s.Context, _, ok4 = take[byte](b, s.N_context)
	if !ok1 || !ok2 || !ok3 || !ok4 {
		return s, fmt.Errorf("%w: sample is cut off", ErrMalformed)
	}
	if s.Skipped > 0 && len(s.Frames) != bpf.MaxFrames {
		return s, fmt.Errorf("%w: %d frames, and others skipped", ErrMalformed, len(s.Frames))
	}
	if s.Skipped > 0 {
		s.Frames = slices.Clone(s.Frames) // the record is decoded more than once
		rotate(s.Frames[bpf.KeptLeaf:], int(s.Skipped)%bpf.KeptRoot)
	}
	return s, nil
}

func decodeHeader(b []byte) (*bpf.Sample, error) {
	if len(b) < int(unsafe.Sizeof(bpf.Sample{})) {
		return nil, fmt.Errorf("%w: sample of %d bytes", ErrMalformed, len(b))
	}
	if uintptr(unsafe.Pointer(&b[0]))%8 != 0 {
		return nil, fmt.Errorf("%w: not aligned", ErrMalformed)
	}
	return (*bpf.Sample)(unsafe.Pointer(&b[0])), nil
}

// recordType is that of a record, 0 for one that is too short to have one.
func recordType(b []byte) uint32 {
	if len(b) < 4 {
		return 0
	}
	return binary.LittleEndian.Uint32(b)
}

// processOf is the process that a record is of, which each has after its type; 0 for one that is too short.
func processOf(b []byte) uint32 {
	if len(b) < 8 {
		return 0
	}
	return binary.LittleEndian.Uint32(b[4:])
}

// rotate rotates a ring in place, so that the element at index first becomes the first.
func rotate(ring []bpf.Frame, first int) {
	slices.Reverse(ring[:first])
	slices.Reverse(ring[first:])
	slices.Reverse(ring)
}

// take returns the first n elements of b as a slice of T, and the rest of b.
func take[T any](b []byte, n uint16) ([]T, []byte, bool) {
	var t T
	size := int(n) * int(unsafe.Sizeof(t))
	if size > len(b) {
		return nil, nil, false
	}
	if n == 0 {
		return nil, b, true
	}
	return unsafe.Slice((*T)(unsafe.Pointer(&b[0])), int(n)), b[size:], true
}

// ContextRecords calls f for each context record of a sample.
func (s *Sample) ContextRecords(f func(kind, label uint8, data []byte)) error {
	return ContextRecords(s.Context, f)
}

// ContextRecords calls f for each context record in b.
func ContextRecords(b []byte, f func(kind, label uint8, data []byte)) error {
	for len(b) > 0 {
		if len(b) < 4 {
			return fmt.Errorf("%w: context record is cut off", ErrMalformed)
		}
		n := 4 + int(binary.LittleEndian.Uint16(b[2:]))
		if n > len(b) {
			return fmt.Errorf("%w: context record is cut off", ErrMalformed)
		}
		f(b[0], b[1], b[4:n])
		b = b[n:]
	}
	return nil
}

// Readings splits the context records by reading of the context: there are two during a garbage collection, else one.
func (s *Sample) Readings() (first, second []byte, twice bool) {
	at := 0
	_ = s.ContextRecords(func(kind, _ uint8, data []byte) {
		if kind == bpf.ContextAgain && !twice {
			first, second, twice = s.Context[:at], s.Context[at+4+len(data):], true
		}
		at += 4 + len(data)
	})
	if !twice {
		first = s.Context
	}
	return first, second, twice
}

// ThreadName returns the name of the sampled thread.
func (s *Sample) ThreadName() string {
	var b [16]byte
	n := 0
	for ; n < len(b) && s.Comm[n] != 0; n++ {
		b[n] = byte(s.Comm[n])
	}
	return string(b[:n])
}

func decodeLifecycle(b []byte) (bpf.Lifecycle, error) {
	if len(b) < int(unsafe.Sizeof(bpf.Lifecycle{})) {
		return bpf.Lifecycle{}, fmt.Errorf("%w: %d bytes", ErrMalformed, len(b))
	}
	return *(*bpf.Lifecycle)(unsafe.Pointer(&b[0])), nil
}
