// Package filecache keeps data in files of a directory that only this user can write, such as what was parsed of other
// files. Several programs may use one directory at a time.
package filecache

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"github.com/hotspan/hotspan/agent/internal/trusted"
)

// Dir is a directory with data under names. It is safe for concurrent use, also by several programs. What one version
// of the program has written no other one reads.
type Dir struct {
	root    *os.Root
	version string
	limit   int64
}

// Open opens a directory for at most limit bytes, and makes it where it is missing. version is that of the program. The
// error is trusted.ErrUntrusted if others could write to it.
func Open(path, version string, limit int64) (*Dir, error) {
	root, err := trusted.Open(path)
	if err != nil {
		return nil, err
	}
	return &Dir{root, version, limit}, nil
}

// Close lets go of the directory.
func (d *Dir) Close() error { return d.root.Close() }

// Entry is data that was kept. Its parts can be read until Close, even if the file is removed meanwhile.
type Entry struct {
	Parts []*io.SectionReader
	file  *os.File
}

// Close closes the file.
func (e *Entry) Close() error { return e.file.Close() }

// temporary begins the names of files that are being written. staleAfter is when nobody is writing to one any more.
const (
	temporary  = "tmp-"
	staleAfter = time.Hour
)

// Names returns the names with a prefix.
func (d *Dir) Names(prefix string) []string {
	var out []string
	for _, e := range d.list() {
		if strings.HasPrefix(e.Name(), prefix) && !strings.HasPrefix(e.Name(), temporary) {
			out = append(out, e.Name())
		}
	}
	return out
}

func (d *Dir) list() []fs.DirEntry {
	dir, err := d.root.Open(".")
	if err != nil {
		return nil
	}
	defer dir.Close()
	all, _ := dir.ReadDir(-1) // those before an error will do
	return all
}

// Get opens what was kept under a name. The error says that there is none, or that it is damaged, of another version,
// or not this user's: then the file is removed.
func (d *Dir) Get(name string) (*Entry, error) {
	f, err := d.root.OpenFile(name, os.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	parts, err := d.check(f)
	if err != nil {
		f.Close()
		return nil, errors.Join(fmt.Errorf("%s: %w", name, err), d.root.Remove(name))
	}
	if st, err := f.Stat(); err == nil && time.Since(st.ModTime()) > time.Minute {
		_ = d.root.Chtimes(name, time.Time{}, time.Now()) // used lately; if not possible, it goes earlier
	}
	return &Entry{parts, f}, nil
}

func (d *Dir) check(f *os.File) ([]*io.SectionReader, error) {
	var st unix.Stat_t
	if err := unix.Fstat(int(f.Fd()), &st); err != nil {
		return nil, err
	}
	if st.Mode&unix.S_IFMT != unix.S_IFREG || int(st.Uid) != os.Geteuid() || st.Mode&0o022 != 0 {
		return nil, trusted.ErrUntrusted
	}
	return open(f, st.Size, d.version)
}

// Put keeps parts under a name, as a whole or not at all. What was used least recently goes if there is no room.
func (d *Dir) Put(name string, parts ...[]byte) (err error) {
	begin := head(d.version, parts)
	size := int64(len(begin))
	for _, p := range parts {
		size += int64(len(p))
	}
	if size > min(d.limit, maxSize) || len(parts) > maxParts {
		return fmt.Errorf("%s: %d bytes are too many", name, size)
	}
	d.makeRoom(size)
	temp := temporary + rand.Text()
	f, err := d.root.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	for _, p := range append([][]byte{begin}, parts...) {
		if _, err = f.Write(p); err != nil {
			break
		}
	}
	if err = errors.Join(err, f.Close()); err == nil {
		err = d.root.Rename(temp, name)
	}
	if err != nil {
		return errors.Join(err, d.root.Remove(temp))
	}
	return nil
}

// maxFiles bounds the files in a directory, which is read for each that is written.
const maxFiles = 512

// makeRoom removes the files that were used least recently until there is room for one more, of size bytes.
func (d *Dir) makeRoom(size int64) {
	var all []fs.FileInfo
	for _, e := range d.list() {
		st, err := e.Info()
		if err != nil {
			continue
		}
		if strings.HasPrefix(e.Name(), temporary) && time.Since(st.ModTime()) > staleAfter {
			_ = d.root.Remove(e.Name()) // of a program that was killed; it may be gone
			continue
		}
		all = append(all, st)
		size += st.Size()
	}
	slices.SortStableFunc(all, func(a, b fs.FileInfo) int { return a.ModTime().Compare(b.ModTime()) })
	for i, st := range all {
		if size <= d.limit && len(all)-i < maxFiles {
			return
		}
		if d.root.Remove(st.Name()) == nil {
			size -= st.Size()
		}
	}
}
