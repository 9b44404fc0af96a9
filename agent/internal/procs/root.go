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

// RootDir is a root directory, held open. That of a process is its container's, if it is in one, and stays when the
// process ends.
type RootDir struct {
	dir    *os.File
	rights rights
}

// OpenRoot opens the root of a process. Its files are opened with the rights of the process's user.
func OpenRoot(pid int) (*RootDir, error) {
	rights, err := rightsOf(pid)
	if err != nil {
		return nil, err
	}
	r, err := OpenRootDir(Root(pid))
	if err == nil {
		r.rights = rights
	}
	return r, err
}

// OpenRootDir opens a directory as a root.
func OpenRootDir(name string) (*RootDir, error) {
	dir, err := os.OpenFile(name, unix.O_PATH|unix.O_DIRECTORY, 0)
	if err != nil {
		return nil, err
	}
	return &RootDir{dir: dir}, nil
}

// Close lets go of the directory.
func (r *RootDir) Close() error { return r.dir.Close() }

// Open opens a regular file by an absolute path as the process means it, without blocking: links cannot lead out of the
// root. The inode and what else tells a file from a later one of the same name are in the second result.
func (r *RootDir) Open(file string) (f *os.File, st *unix.Stat_t, err error) {
	err = errNoRights
	r.rights.do(func() { f, st, err = r.open(file) })
	return f, st, err
}

var errNoRights = errors.New("the rights of the process's user cannot be taken")

func (r *RootDir) open(file string) (*os.File, *unix.Stat_t, error) {
	how := unix.OpenHow{
		Flags: unix.O_PATH | unix.O_CLOEXEC, Resolve: unix.RESOLVE_IN_ROOT | unix.RESOLVE_NO_MAGICLINKS,
	}
	fd, err := unix.Openat2(int(r.dir.Fd()), file, &how)
	if err != nil {
		return nil, nil, &fs.PathError{Op: "open", Path: file, Err: err}
	}
	defer unix.Close(fd)
	f, st, err := openRegular(fd, path.Base(file))
	var p *fs.PathError
	if errors.As(err, &p) {
		p.Path = file
	}
	return f, st, err
}

// ErrTooLong says that a file is longer than the limit.
var ErrTooLong = errors.New("too long")

// ReadAll reads a file of at most limit bytes.
func ReadAll(f io.Reader, limit int) ([]byte, error) {
	b, err := io.ReadAll(io.LimitReader(f, int64(limit)+1))
	if len(b) > limit {
		return nil, fmt.Errorf("more than %d bytes: %w", limit, ErrTooLong)
	}
	return b, err
}
