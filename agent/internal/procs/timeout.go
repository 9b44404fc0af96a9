package procs

import (
	"errors"
	"fmt"
	"io"
	"os"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"
)

// fileTimeout is how long hotspan waits for a file of a process to be opened, or for a read of it. Behind the file may
// be a file system that is a program, which never answers. (Linux: Documentation/filesystems/fuse.rst)
const fileTimeout = 5 * time.Second

// maxWaiting bounds the calls that are under way at a time: one that never returns keeps a thread until hotspan ends.
const maxWaiting = 256

// ErrSlow says that a file was not read because its file system does not answer.
var ErrSlow = errors.New("its file system takes too long to answer")

var waiting atomic.Int32

// within runs f, and returns its results if it ends in time. If it ends later, drop gets them.
func within[T any](f func() (T, error), drop func(T)) (T, error) {
	type result struct {
		value T
		err   error
	}
	var none T
	if waiting.Add(1) > maxWaiting {
		waiting.Add(-1)
		return none, fmt.Errorf("%w, as %d others", ErrSlow, maxWaiting)
	}
	ended := make(chan result, 1)
	go func() {
		defer waiting.Add(-1)
		value, err := f()
		ended <- result{value, err}
	}()
	late := time.NewTimer(fileTimeout)
	defer late.Stop()
	select {
	case r := <-ended:
		return r.value, r.err
	case <-late.C:
	}
	go func() {
		if r := <-ended; r.err == nil {
			drop(r.value)
		}
	}()
	return none, fmt.Errorf("%w: more than %v", ErrSlow, fileTimeout)
}

// ErrTooLong says that a file is longer than the limit.
var ErrTooLong = errors.New("too long")

// ReadAll reads a file of at most limit bytes.
func ReadAll(f io.Reader, limit int) ([]byte, error) {
	return within(func() ([]byte, error) {
		b, err := io.ReadAll(io.LimitReader(f, int64(limit)+1))
		if len(b) > limit {
			return nil, fmt.Errorf("more than %d bytes: %w", limit, ErrTooLong)
		}
		return b, err
	}, func([]byte) {})
}

// fileBudget is how long all reads of a Timed may take together: each of thousands may be just in time.
const fileBudget = 30 * time.Second

// Timed reads a file of a process. Once a read was too slow, or all reads together, further ones fail. It is safe for
// concurrent use.
type Timed struct {
	file  io.ReaderAt
	slow  atomic.Bool
	spent atomic.Int64 // nanoseconds
}

// NewTimed reads f, which the caller closes.
func NewTimed(f *os.File) *Timed { return &Timed{file: f} }

// ReadAt reads from the file. (io.ReaderAt)
func (p *Timed) ReadAt(b []byte, off int64) (int, error) {
	if p.slow.Load() {
		return 0, ErrSlow
	}
	if p.spent.Load() > int64(fileBudget) {
		return 0, fmt.Errorf("%w: more than %v for what was read of the file", ErrSlow, fileBudget)
	}
	began := time.Now()
	defer func() { p.spent.Add(int64(time.Since(began))) }()
	got, err := within(func() ([]byte, error) {
		own := make([]byte, len(b)) // the caller may use b for something else when a late read ends
		n, err := p.file.ReadAt(own, off)
		if errors.Is(err, io.EOF) {
			err = nil
		}
		return own[:n], err
	}, func([]byte) {})
	if errors.Is(err, ErrSlow) {
		p.slow.Store(true)
	}
	n := copy(b, got)
	if err == nil && n < len(b) {
		err = io.EOF
	}
	return n, err
}

// Stat is that of a file by its path from here.
func Stat(path string) (unix.Stat_t, error) {
	return within(func() (st unix.Stat_t, err error) {
		err = unix.Stat(path, &st)
		return st, err
	}, func(unix.Stat_t) {})
}

// StatFile is that of a file that is open.
func StatFile(f *os.File) (unix.Stat_t, error) {
	fd := int(f.Fd())
	return within(func() (st unix.Stat_t, err error) {
		err = unix.Fstat(fd, &st)
		return st, err
	}, func(unix.Stat_t) {})
}
