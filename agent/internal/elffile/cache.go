package elffile

import (
	"bytes"
	"crypto/sha256"
	"os"

	"github.com/hotspan/hotspan/agent/internal/procs"
	"github.com/hotspan/hotspan/v8/layout"
)

// minV8 is a lower bound of the machine code of any V8 with its builtins, in bytes: Node 16 has 30 MB of code.
const minV8 = 4 << 20

// maxProbed bounds the cached results of HasV8. Builds of software create new files all the time.
const maxProbed = 1 << 14

// HasV8 reports whether a file that a process has mapped contains V8, whatever its name. It is called for each process
// that starts, so it is fast: most files have less code than V8 and need not be opened.
func (c *Cache) HasV8(pid int, m procs.Mapping) (bool, error) {
	if !m.Exec || m.Inode == 0 || m.End-m.Start < minV8 {
		return false, nil
	}
	if f := c.find(key{FileID: m.File()}); f != nil && f.Layout != nil {
		return true, nil
	}
	if has, ok := c.probed[m.File()]; ok {
		return has, nil
	}
	file, err := procs.Open(pid, m)
	if err != nil {
		return false, err
	}
	defer file.Close()
	if len(c.probed) >= maxProbed {
		clear(c.probed)
	}
	has := layout.Probe(procs.NewTimed(file))
	c.probed[m.File()] = has
	return has, nil
}

// get returns a file for a user more. It is never nil; if it cannot be read, Problems says why.
func (c *Cache) get(pid int, m procs.Mapping) *File {
	k := key{FileID: m.File()}
	if f := c.find(k); f != nil && !f.replaced(procs.Path(pid, m)) && c.use(f, mapped) {
		return f
	}
	if c.layoutsOnly {
		if has, err := c.HasV8(pid, m); !has && err == nil {
			return &File{Path: m.Path} // not cached: another mapping of the file may have V8's code
		}
	}
	file, err := procs.Open(pid, m)
	if err != nil {
		return c.put(k, &File{Path: m.Path, Problems: []error{err}})
	}
	defer file.Close()
	return c.open(k, file, m.Path, procs.Root(pid), "/")
}

// open returns a file that is open, for a user more: the one that was read before, or it reads this one, and a separate
// debug file below one of the roots.
func (c *Cache) open(k key, file *os.File, path string, roots ...string) *File {
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
	if f := c.find(k); f != nil && c.use(f, idle) {
		return f
	}
	out := parse(bytes.NewReader(image), nil).with(nil)
	return c.put(k, newFile(VdsoPath, c.upload(out)))
}
