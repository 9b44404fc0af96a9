package heaptest

import "errors"

var errUnmapped = errors.New("not mapped")

const mapping = 64 << 10

// Ring is memory that repeats a piece of bytes for ever, so that every pointer leads somewhere and most objects are
// cycles. Like a process it has no more than a mapping at a time.
type Ring struct {
	B                  []byte
	Reads, Bytes, Most int // calls of ReadAt, the bytes that they asked for, and those of the largest one
}

// ReadAt reads memory.
func (m *Ring) ReadAt(p []byte, off int64) (int, error) {
	m.Reads++
	m.Bytes += len(p)
	m.Most = max(m.Most, len(p))
	if len(m.B) == 0 || len(p) > mapping {
		return 0, errUnmapped
	}
	n := copy(p, m.B[uint64(off)%uint64(len(m.B)):])
	for n < len(p) {
		n += copy(p[n:], m.B)
	}
	return n, nil
}
