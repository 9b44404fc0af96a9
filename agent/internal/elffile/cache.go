package elffile

import (
	"bytes"
	"crypto/sha256"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/hotspan/hotspan/agent/internal/procs"
	"github.com/hotspan/hotspan/agent/internal/unwind"
	"github.com/hotspan/hotspan/v8/layout"
)

// Rules receives the unwind rules of files.
type Rules interface {
	AddTable(*unwind.Table) (slot, pages uint32, err error)
	RemoveTable(uint32) error
}

// Cache keeps the files that processes have mapped, each once, and releases a file after its last process has ended. A
// Hold of a process gets files. HasV8, Preload and the Get of all Holds are for one goroutine at a time; any number may
// call Release at the same time.
type Cache struct {
	rules       Rules
	layoutsOnly bool                  // read only the layout of V8
	probed      map[procs.FileID]bool // whether files that were not read hold V8
	idleFor     time.Duration

	mu       sync.Mutex // guards what follows, and how many users files and contents have
	files    map[key]*File
	idle     []*File                // those without users, the last released one last
	contents map[string][]*contents // that files share, by build id
}

// key identifies a file: by device and inode, or by the hash of its image if it is in memory only.
type key struct {
	procs.FileID
	image [sha256.Size]byte
}

// NewCache makes a cache that adds the unwind rules of each file to r, unless that is nil.
func NewCache(r Rules) *Cache {
	return &Cache{
		rules: r, files: map[key]*File{}, contents: map[string][]*contents{}, probed: map[procs.FileID]bool{},
		idleFor: idleFor,
	}
}

// NewLayoutCache makes a cache that reads only the layout of the V8 in each file, which is fast.
func NewLayoutCache() *Cache {
	c := NewCache(nil)
	c.layoutsOnly = true
	return c
}

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
	has := layout.Probe(file)
	c.probed[m.File()] = has
	return has, nil
}

func (c *Cache) find(k key) *File {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.files[k]
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
	f := c.load(file, roots...).named(path)
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
	c.upload(out)
	return c.put(k, out.named(VdsoPath))
}

// put adds a file with one user. If another file has its key, that one stays with its users alone.
func (c *Cache) put(k key, f *File) *File {
	c.mu.Lock()
	defer c.mu.Unlock()
	if old := c.files[k]; old != nil && old.users == 0 {
		c.idle = slices.DeleteFunc(c.idle, func(f *File) bool { return f == old })
		c.drop(old)
	}
	f.key, f.users = k, 1
	c.files[k] = f
	return f
}
