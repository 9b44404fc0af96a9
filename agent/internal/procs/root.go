package procs

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"sync"

	"golang.org/x/sys/unix"
)

// RootDir is a root directory, held open. That of a process is its container's, if it is in one, and stays when the
// process ends.
type RootDir struct {
	dir    *os.File
	rights func() rights // with which files are opened; nil for hotspan's own
}

// owner is the process of a root, and the rights that it had when it was last looked at. It may change its user at any
// time, and has those that it had then when it has ended.
type owner struct {
	pid     int
	started uint64
	mu      sync.Mutex
	rights  rights
}

// latest returns the rights that the process has now.
func (o *owner) latest() rights {
	o.mu.Lock()
	defer o.mu.Unlock()
	if now, err := rightsOf(o.pid); err == nil && Started(o.pid) == o.started {
		o.rights = now
	}
	return o.rights
}

// OpenRoot opens the root of a process. Its files are opened with the rights of the process's user, or, if hotspan may
// not take these, with hotspan's own less its capabilities to open any file.
func OpenRoot(pid int) (*RootDir, error) { return openRootOf(pid, Started(pid)) }

// openRootOf is OpenRoot of the process that started at a time. If another one has its pid, rights and root could be of
// two.
func openRootOf(pid int, started uint64) (*RootDir, error) {
	o := &owner{pid: pid, started: started}
	var err error
	if o.rights, err = rightsOf(pid); err != nil {
		return nil, err
	}
	r, err := OpenRootDir(Root(pid))
	if err != nil {
		return nil, err
	}
	if Started(pid) != started {
		r.Close()
		return nil, fmt.Errorf("root of process %d: %w", pid, fs.ErrNotExist)
	}
	r.rights = o.latest
	return r, nil
}

// OpenRootDir opens a directory as a root. Its files are opened with hotspan's own rights.
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
	o, err := Within(func() (o opened, err error) {
		if r.rights == nil {
			o.file, o.stat, err = r.open(file)
			return o, err
		}
		err = errNoRights
		r.rights().do(func() { o.file, o.stat, err = r.open(file) })
		return o, err
	}, opened.close)
	if errors.Is(err, ErrSlow) {
		err = &fs.PathError{Op: "open", Path: file, Err: err}
	}
	return o.file, o.stat, err
}

// opened is a file that was opened.
type opened struct {
	file *os.File
	stat *unix.Stat_t
}

func (o opened) close() { o.file.Close() }

func (r *RootDir) open(file string) (*os.File, *unix.Stat_t, error) {
	dir, err := r.dir.SyscallConn()
	if err != nil {
		return nil, nil, err
	}
	how := unix.OpenHow{
		Flags: unix.O_PATH | unix.O_CLOEXEC, Resolve: unix.RESOLVE_IN_ROOT | unix.RESOLVE_NO_MAGICLINKS,
	}
	fd := -1
	// the directory stays open meanwhile, though nobody may wait for this any more
	gone := dir.Control(func(below uintptr) { fd, err = unix.Openat2(int(below), file, &how) })
	if err := errors.Join(gone, err); err != nil {
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
