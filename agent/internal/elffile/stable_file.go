package elffile

import (
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"github.com/hotspan/hotspan/agent/internal/procs"
	"github.com/hotspan/hotspan/agent/internal/turn"
)

const (
	// pieceSize is how much of a file is read at a time, in bytes.
	pieceSize = 64 << 10
	// maxFile bounds the size of a file, in bytes.
	maxFile = 64 << 30
)

// stableFile reads a file, each piece once, into memory that goes back to the system as a whole. So the bytes that are
// hashed are those that were parsed, even if somebody writes to the file meanwhile. It is safe for concurrent use.
type stableFile struct {
	file     *procs.Timed
	size     int64
	original original
	turn     *turn.Turn // nil: it has no need of one
	mem      []byte     // of the whole file; what was not read takes none

	mu   sync.Mutex
	have []bool // by piece
	err  error  // of reading, besides the end of the file
}

func newStableFile(f *os.File) (*stableFile, error) {
	st, err := procs.StatFile(f)
	if err != nil {
		return nil, err
	}
	s := &stableFile{file: procs.NewTimed(f), size: st.Size}
	if kind, err := procs.FileSystem(f); err == nil {
		s.original = originalOf(&st, kind, time.Now())
	}
	if s.size == 0 || s.size > maxFile {
		return nil, fmt.Errorf("%d bytes: an executable file has 1 to %d", s.size, int64(maxFile))
	}
	s.have = make([]bool, (s.size+pieceSize-1)/pieceSize)
	s.mem, err = unix.Mmap(-1, 0, int(s.size), unix.PROT_READ|unix.PROT_WRITE,
		unix.MAP_PRIVATE|unix.MAP_ANONYMOUS|unix.MAP_NORESERVE)
	if err != nil {
		return nil, fmt.Errorf("memory for %d bytes: %w", s.size, err)
	}
	_ = unix.Madvise(s.mem, unix.MADV_NOHUGEPAGE) // a huge page would read as much as 32 pieces take
	return s, nil
}

// takes has a stableFile that nobody reads now go by a turn.
func (s *stableFile) takes(t *turn.Turn) {
	s.turn = t
	s.file.WhenLate(t.Pass)
}

// bytes is the size of the file; 0 of none.
func (s *stableFile) bytes() int64 {
	if s == nil {
		return 0
	}
	return s.size
}

// close gives the memory back. What Bytes has returned is gone then.
func (s *stableFile) close() { _ = unix.Munmap(s.mem) }

// ReadAt reads from the stableFile. (io.ReaderAt)
func (s *stableFile) ReadAt(b []byte, off int64) (int, error) {
	if off < 0 || off >= s.size {
		return 0, io.EOF
	}
	n := min(int64(len(b)), s.size-off)
	if err := s.ensure(off, n); err != nil {
		return 0, err
	}
	copy(b, s.mem[off:off+n])
	if n < int64(len(b)) {
		return int(n), io.EOF
	}
	return int(n), nil
}

// Bytes returns a part of the file without copying it. (symbols.Memory)
func (s *stableFile) Bytes(off, n int64) ([]byte, error) {
	if off < 0 || n < 0 || off > s.size || n > s.size-off {
		return nil, io.ErrUnexpectedEOF
	}
	if err := s.ensure(off, n); err != nil {
		return nil, err
	}
	return s.mem[off : off+n : off+n], nil
}

// ensure reads the pieces of a range that were not read yet.
func (s *stableFile) ensure(off, n int64) error {
	if n == 0 {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := off / pieceSize; i <= (off+n-1)/pieceSize && s.err == nil; i++ {
		if s.have[i] {
			continue
		}
		start := i * pieceSize
		end := min(start+pieceSize, s.size)
		if s.err = s.turn.Take(end - start); s.err != nil {
			break
		}
		if n, err := s.file.ReadAt(s.mem[start:end], start); int64(n) < end-start {
			s.err = fmt.Errorf("read %d bytes at %d: %w", end-start, start, err) // it has become shorter
		}
		s.have[i] = true
	}
	return s.err
}
