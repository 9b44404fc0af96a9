package procs

import (
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"

	"github.com/hotspan/hotspan/agent/internal/share"
)

// fileTimeout is how long hotspan waits for a file of a process to be opened, or for a read of it. Behind the file may
// be a file system that is a program, which never answers. (Linux: Documentation/filesystems/fuse.rst)
const fileTimeout = 5 * time.Second

// maxWaiting bounds the calls that are under way at a time: one that never returns keeps a thread until hotspan ends.
// Those for files of one user's processes are an eighth, at most, of what those for files of others leave.
const maxWaiting, userWaiting = 1024, 1.0 / 8

// ErrSlow says that a file was not read because its file system, or a lock of the kernel, makes hotspan wait.
var ErrSlow = errors.New("no answer in time")

// ErrBusy says that a file was not read because hotspan waits for too many others of the same user's processes.
var ErrBusy = errors.New("too many other files do not come: no more are read")

// busy says whose files do not come.
func busy(of User) error {
	if of == Nobody {
		return ErrBusy
	}
	return fmt.Errorf("%w for processes of user %d", ErrBusy, of)
}

// waiting are the calls that are under way, by user.
var waiting = share.New[User](maxWaiting, userWaiting)

// Within runs f, which waits for a file of a process, and returns its results if it ends in time. If it ends later,
// drop gets them, and the error is ErrSlow.
func Within[T any](f func() (T, error), drop func(T)) (T, error) {
	return within(accountOf(), f, drop)
}

// within is Within for an account.
func within[T any](of *account, f func() (T, error), drop func(T)) (T, error) {
	return waitedFor(f, drop, &wait{asleep: inSystemCall, isLate: func() {}, account: of})
}

// waitedFor is Within, and counts how long f waits.
func waitedFor[T any](f func() (T, error), drop func(T), w *wait) (value T, err error) {
	var r struct {
		value T
		err   error
	}
	tooLate := func() {
		if r.err == nil {
			drop(r.value)
		}
	}
	if err := follow(func() { r.value, r.err = f() }, tooLate, w); err != nil {
		return value, err
	}
	return r.value, r.err
}

// follow runs f on another goroutine, and returns when it has ended. It returns an error if f is not run, or has not
// ended in time; then tooLate is called when it has.
func follow(f, tooLate func(), w *wait) error {
	user := w.account.user
	if !waiting.Take(user, 1) {
		return busy(user)
	}
	var thread atomic.Int32 // that f runs on; 0: it does not run
	ended := make(chan struct{})
	go func() {
		defer waiting.Give(user, 1)
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		thread.Store(int32(unix.Gettid()))
		f()
		thread.Store(0)
		close(ended)
	}()
	next := time.NewTimer(rand.N(checkEvery)) // no file system knows when
	defer next.Stop()
	w.tell()
	defer w.end()
	for w.waited <= fileTimeout {
		select {
		case <-ended:
			return nil
		case <-next.C:
			next.Reset(checkEvery)
			w.check(int(thread.Load()))
		}
	}
	go func() {
		<-ended
		tooLate()
	}()
	return fmt.Errorf("%w: more than %v", ErrSlow, fileTimeout)
}

// ErrTooLong says that a file is longer than the limit.
var ErrTooLong = errors.New("too long")

// ReadAll reads a file of at most limit bytes.
func ReadAll(f io.Reader, limit int) ([]byte, error) {
	return Within(func() ([]byte, error) {
		b, err := io.ReadAll(io.LimitReader(f, int64(limit)+1))
		if len(b) > limit {
			return nil, fmt.Errorf("more than %d bytes: %w", limit, ErrTooLong)
		}
		return b, err
	}, func([]byte) {})
}

// fileBudget is how long all reads of a Timed may wait together: each of thousands may be just in time.
const fileBudget = 30 * time.Second

// Timed reads a file of a process. Once a read was too slow, or all reads together, further ones fail. It is safe for
// concurrent use.
type Timed struct {
	file    io.ReaderAt
	asleep  func(thread int) bool
	late    func()
	account *account
	failed  atomic.Pointer[error] // why reading fails; nil: it does not
	spent   atomic.Int64          // nanoseconds
}

// NewTimed reads f, which the caller closes: a file, or memory in which a process has one. f must read it on the
// calling thread.
func NewTimed(f io.ReaderAt) *Timed {
	return &Timed{file: f, asleep: inSystemCall, late: func() {}, account: accountOf()}
}

// WhenLate has f called, maybe more than once, when reading has taken a second, while a read is under way. Call it
// between two reads.
func (p *Timed) WhenLate(f func()) { p.late = f }

// Err says why a read has failed; nil if none has. The end of the file is no error.
func (p *Timed) Err() error {
	if err := p.failed.Load(); err != nil {
		return *err
	}
	return nil
}

// pieceSize is how many bytes are read of a file at a time, each with a time of its own: a file system that answers
// many small requests is slow only if it does not go on.
const pieceSize = 64 << 10

// ReadAt reads from the file. (io.ReaderAt)
func (p *Timed) ReadAt(b []byte, off int64) (n int, err error) {
	for n < len(b) && err == nil {
		var some int
		some, err = p.readPiece(b[n:min(len(b), n+pieceSize)], off+int64(n))
		n += some
	}
	return n, err
}

func (p *Timed) readPiece(b []byte, off int64) (int, error) {
	if err := p.Err(); errors.Is(err, ErrSlow) {
		return 0, err
	}
	n, err := p.read(b, off)
	if err != nil {
		if p.Err() == nil || errors.Is(err, ErrSlow) {
			p.failed.Store(&err)
		}
		return n, err
	}
	if n < len(b) {
		err = io.EOF
	}
	return n, err
}

// pieces are buffers for reads: *[pieceSize]byte.
var pieces = sync.Pool{New: func() any { return new([pieceSize]byte) }}

// read is readPiece; the end of the file is no error.
func (p *Timed) read(b []byte, off int64) (int, error) {
	w := wait{asleep: p.asleep, before: time.Duration(p.spent.Load()), isLate: p.late, account: p.account}
	if w.before > fileBudget {
		return 0, fmt.Errorf("%w: more than %v for what was read of the file", ErrSlow, fileBudget)
	}
	own := pieces.Get().(*[pieceSize]byte) // the caller may use b for something else when a late read ends
	drop := func(int) { pieces.Put(own) }
	n, err := waitedFor(func() (int, error) {
		n, err := p.file.ReadAt(own[:len(b)], off)
		if errors.Is(err, io.EOF) {
			err = nil
		}
		return n, err
	}, drop, &w)
	p.spent.Add(int64(w.waited))
	copy(b[:n], own[:n])
	if !errors.Is(err, ErrSlow) { // else it is still being written to
		drop(n)
	}
	return n, err
}

// Close closes a file of a process, whose file system is told and may not answer.
func Close(f *os.File) {
	_, _ = Within(func() (struct{}, error) { return struct{}{}, f.Close() }, func(struct{}) {})
}

// FileSystem returns the number of the type of the file system that a file is in. It is open.
func FileSystem(f *os.File) (int64, error) {
	fd := int(f.Fd())
	return Within(func() (int64, error) {
		var st unix.Statfs_t
		err := unix.Fstatfs(fd, &st)
		return st.Type, err
	}, func(int64) {})
}

// StatFile is that of a file that is open.
func StatFile(f *os.File) (unix.Stat_t, error) {
	fd := int(f.Fd())
	return Within(func() (st unix.Stat_t, err error) {
		err = unix.Fstat(fd, &st)
		return st, err
	}, func(unix.Stat_t) {})
}
