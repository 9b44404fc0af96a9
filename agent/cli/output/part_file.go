package output

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"syscall"
)

// partFile is a file that is being written beside its place, under a name of its own. It gets its name when it is
// complete, so that readers see complete files only. A device or a pipe is written to directly.
type partFile struct {
	*os.File
	Path    string // as it was asked for
	target  string // where it will be; empty: it is a device or a pipe
	Movable bool   // if its disk is full, it may go on in the directory for temporary files
	Moved   bool   // it has
}

// maxParts bounds how many files of others are passed over that have the name of a file that is being written.
const maxParts = 100

// createPart opens a file of a mode for what is to be at a path. What is there stays until the file is complete.
func createPart(path string, mode fs.FileMode) (*partFile, error) {
	target, direct, err := outputTarget(path)
	if err != nil {
		return nil, err
	}
	if direct {
		return openDirect(path)
	}
	name := fmt.Sprintf("%s.%d.part", target, os.Getpid())
	for n := 2; ; n++ {
		f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL, mode) // O_EXCL follows no link
		if err == nil {
			_ = lock(f) // where a file system cannot, what is left is left
			return &partFile{File: f, Path: path, target: target}, nil
		}
		if !errors.Is(err, fs.ErrExist) || n > maxParts {
			return nil, fmt.Errorf("write %s: %w", path, cause(err))
		}
		name = fmt.Sprintf("%s.%d-%d.part", target, os.Getpid(), n)
	}
}

// openDirect opens a device or a pipe.
func openDirect(path string) (*partFile, error) {
	f, err := os.OpenFile(path, os.O_WRONLY|syscall.O_NONBLOCK, 0) // to open a pipe may wait for a reader for ever
	if errors.Is(err, syscall.ENXIO) {
		return nil, fmt.Errorf("%s: nobody reads this pipe", path)
	}
	if err != nil {
		return nil, err
	}
	if info, err := f.Stat(); err != nil || info.Mode().IsRegular() {
		return nil, errors.Join(fmt.Errorf("%s is no device or pipe any more", path), err, f.Close())
	}
	return &partFile{File: f, Path: path}, nil
}

// outputTarget returns which file a path names, and whether that is to be written to directly. A symbolic link of
// another user's is an error: hotspan is root, and the directory may be anybody's.
func outputTarget(path string) (target string, direct bool, err error) {
	link, err := os.Lstat(path)
	if err != nil {
		return path, false, nil // there is none, or whoever creates it says why it cannot be
	}
	isLink := link.Mode()&fs.ModeSymlink != 0
	if by := link.Sys().(*syscall.Stat_t).Uid; isLink && by != 0 && int(by) != os.Geteuid() {
		return "", false, fmt.Errorf("%s is a symbolic link of user %d: it is not followed", path, by)
	}
	info, err := os.Stat(path) // of /dev/stdout it has what no path may have: a pipe
	switch {
	case err != nil:
		return "", false, err
	case info.IsDir():
		return "", false, fmt.Errorf("%s is a directory", path)
	case info.Mode()&fs.ModeNamedPipe != 0 && isPlanted(path, info):
		return "", false, fmt.Errorf("%s is a pipe of another user, where anybody may make files: it is not written to",
			path)
	case !info.Mode().IsRegular() || !isLink:
		return path, !info.Mode().IsRegular(), nil
	}
	target, err = filepath.EvalSymlinks(path)
	return target, false, err
}

// isPlanted reports whether a pipe is in a directory in which anybody may make files, and neither this user's nor the
// directory's owner's: the kernel's own rule (proc_sys_fs(5), protected_fifos) is for files that are created.
func isPlanted(path string, pipe fs.FileInfo) bool {
	dir, err := os.Stat(filepath.Dir(path))
	if err != nil || dir.Mode()&fs.ModeSticky == 0 || dir.Mode().Perm()&0o002 == 0 {
		return false
	}
	by := pipe.Sys().(*syscall.Stat_t).Uid
	return int(by) != os.Geteuid() && by != dir.Sys().(*syscall.Stat_t).Uid
}

// Write writes to the file, wherever there is room.
func (p *partFile) Write(b []byte) (n int, err error) {
	n, err = p.File.Write(b)
	if !p.Movable || !errors.Is(err, syscall.ENOSPC) || p.move() != nil {
		return n, err
	}
	rest, err := p.File.Write(b[n:])
	return n + rest, err
}

// move goes on in the directory for temporary files, which is everybody's: the one that was asked for may not be.
func (p *partFile) move() error {
	p.Movable = false
	name := fmt.Sprintf("hotspan-%d-%s", os.Getpid(), filepath.Base(p.Path))
	to, err := createPart(filepath.Join(os.TempDir(), name), 0o600)
	if err != nil {
		return err
	}
	written := io.NewSectionReader(p, 0, math.MaxInt64)
	if _, err := io.Copy(to, written); err != nil {
		to.Remove()
		return err
	}
	p.Remove()
	*p = *to
	p.Moved = true
	return nil
}

// finish gives the file its name.
func (p *partFile) finish() error {
	if p.target == "" {
		return p.Close()
	}
	err := errors.Join(p.Sync(), p.Close())
	if err == nil {
		err = os.Rename(p.Name(), p.target)
	}
	if err == nil {
		err = syncDir(filepath.Dir(p.target))
	}
	return err
}

// syncDir has the names in a directory outlast a loss of power, if the directory may be read and its file system can.
func syncDir(name string) error {
	dir, err := os.Open(name)
	if err != nil {
		return nil // files can be made where nothing can be listed
	}
	defer dir.Close()
	if err := dir.Sync(); !errors.Is(err, syscall.EINVAL) {
		return err
	}
	return nil
}

// Remove removes the file. It may be closed already.
func (p *partFile) Remove() {
	p.Close()
	if p.target != "" {
		os.Remove(p.Name())
	}
}

// Writable reports why a path cannot be written to; nil if it can.
func Writable(path string) error {
	target, direct, err := outputTarget(path)
	if err != nil || direct {
		return err
	}
	return WritableDir(filepath.Dir(target))
}

// WritableDir reports why files cannot be made in a directory; nil if they can.
func WritableDir(dir string) error {
	f, err := os.CreateTemp(dir, ".hotspan-*")
	if err != nil {
		return fmt.Errorf("output: no file can be made in %s: %w", dir, cause(err))
	}
	return errors.Join(f.Close(), os.Remove(f.Name()))
}

// cause leaves the path out of an error: it is a name that hotspan has chosen.
func cause(err error) error {
	if of, ok := errors.AsType[*fs.PathError](err); ok {
		return of.Err
	}
	return err
}
