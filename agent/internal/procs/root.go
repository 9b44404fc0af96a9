package procs

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"

	"golang.org/x/sys/unix"
)

// RootDir is an open root directory of a process, which is that of its container if it is in one. It remains usable
// when the process has ended.
type RootDir struct{ dir *os.File }

// OpenRoot opens the root of a process.
func OpenRoot(pid int) (*RootDir, error) {
	dir, err := os.OpenFile(Root(pid), unix.O_PATH|unix.O_DIRECTORY, 0)
	if err != nil {
		return nil, err
	}
	return &RootDir{dir}, nil
}

// Open opens a regular file by its absolute path in the process: links cannot lead out of the root. The second result
// has the inode, size and times, which distinguish a file from a later one of the same name.
func (r *RootDir) Open(file string) (*os.File, *unix.Stat_t, error) {
	how := unix.OpenHow{Flags: unix.O_RDONLY | unix.O_CLOEXEC | unix.O_NONBLOCK,
		Resolve: unix.RESOLVE_IN_ROOT | unix.RESOLVE_NO_MAGICLINKS}
	fd, err := unix.Openat2(int(r.dir.Fd()), file, &how)
	if err != nil {
		return nil, nil, &fs.PathError{Op: "open", Path: file, Err: err}
	}
	f := os.NewFile(uintptr(fd), path.Base(file))
	st := &unix.Stat_t{}
	if err := unix.Fstat(fd, st); err != nil {
		f.Close()
		return nil, nil, &fs.PathError{Op: "stat", Path: file, Err: err}
	}
	if st.Mode&unix.S_IFMT != unix.S_IFREG {
		f.Close()
		return nil, nil, &fs.PathError{Op: "open", Path: file, Err: errors.New("not a regular file")}
	}
	return f, st, nil
}

// ErrTooLong is the error of ReadAll for a file that is longer than its limit.
var ErrTooLong = errors.New("too long")

// ReadAll reads a file of at most limit bytes. For a longer one the error is ErrTooLong.
func ReadAll(f io.Reader, limit int) ([]byte, error) {
	b, err := io.ReadAll(io.LimitReader(f, int64(limit)+1))
	if len(b) > limit {
		return nil, fmt.Errorf("more than %d bytes: %w", limit, ErrTooLong)
	}
	return b, err
}
