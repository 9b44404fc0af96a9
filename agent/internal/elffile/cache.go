package elffile

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"

	"github.com/hotspan/hotspan/agent/internal/procs"
)

// get returns a file for a user more. It is never nil; if it cannot be read, Problems says why.
func (c *Cache) get(pid int, m procs.Mapping, now stamp) *File {
	f, err := c.getFile(pid, m, now)
	if errors.Is(err, procs.ErrNoPath) {
		f, err = c.fromMemory(pid, m, err)
	}
	if err != nil {
		return c.unread(pid, m, err)
	}
	return f
}

// getFile is get; the error is of opening the file.
func (c *Cache) getFile(pid int, m procs.Mapping, now stamp) (*File, error) {
	k := key{FileID: m.File()}
	defer c.alone(k)()
	if f := c.find(inMemory(pid, m)); f != nil && f.contents != nil && c.use(f, mapped) {
		return f, nil
	}
	for _, k := range keysOf(m) {
		if f := c.find(k); f != nil && !f.stamp.replacedBy(now) && c.use(f, mapped) {
			return f, nil
		}
	}
	if c.layoutsOnly {
		if has, err := c.probe(pid, m); !has && err == nil {
			return &File{Path: m.Path}, nil // not cached: another mapping of the file may have V8's code
		}
	}
	file, err := procs.Open(pid, m)
	if err != nil {
		return nil, err
	}
	defer procs.Close(file)
	k = keyOf(m, file)
	f := c.read(k, file, m.Path, procs.Root(pid), "/")
	if err := f.contents.err; err != nil && f.Layout == nil {
		c.keepProbed(k.FileID, probed{stamp: f.stamp, err: fmt.Errorf("%s: %w", m.Path, err)})
	}
	return f, nil
}

// unread returns what stands for a file that was not read for a process, for a user more. It may be read for another
// one.
func (c *Cache) unread(pid int, m procs.Mapping, err error) *File {
	k := key{FileID: m.File(), pid: pid}
	if f := c.find(k); f != nil && c.use(f, idle) {
		return f
	}
	return c.put(k, &File{Path: m.Path, Problems: []error{err}})
}

// open returns a file that is open, for a user more.
func (c *Cache) open(k key, file *os.File, path string, roots ...string) *File {
	defer c.alone(k)()
	return c.read(k, file, path, roots...)
}

// read returns a file that is open, for a user more: the one that was read before, or it reads this one, and a separate
// debug file below one of the roots. The caller is alone with the key.
func (c *Cache) read(k key, file *os.File, path string, roots ...string) *File {
	stamp := stampOfFile(file)
	if f := c.find(k); f != nil && f.stamp == stamp && c.use(f, idle) {
		return f
	}
	f := newFile(path, c.load(file, roots...))
	f.stamp = stamp
	return c.put(k, f)
}

// VdsoPath is the name of the vdso in /proc/PID/maps.
const VdsoPath = "[vdso]"

// vdso returns the file of the vdso, for a user more.
func (c *Cache) vdso(image []byte) *File {
	if c.layoutsOnly {
		return &File{Path: VdsoPath}
	}
	k := key{image: sha256.Sum256(image)}
	defer c.alone(k)()
	if f := c.find(k); f != nil && c.use(f, idle) {
		return f
	}
	out := parse(bytes.NewReader(image), nil).with(nil)
	return c.put(k, newFile(VdsoPath, c.upload(out)))
}
