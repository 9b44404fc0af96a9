package elffile

import (
	"debug/elf"
	"os"
	"path/filepath"

	"github.com/hotspan/hotspan/agent/internal/procs"
	"github.com/hotspan/hotspan/agent/internal/unwind"
	"github.com/hotspan/hotspan/v8/layout"
)

// Rules receives the unwind rules of files.
type Rules interface {
	AddTable(*unwind.Table) (slot, pages uint32, err error)
	RemoveTable(uint32) error
}

// Cache keeps files by device and inode. It is not safe for concurrent use.
type Cache struct {
	rules       Rules
	layoutsOnly bool // read only the layout of V8
	files       map[procs.FileID]*File
	memory      map[string]*File
	probed      map[procs.FileID]bool // whether files that were not read hold V8
}

// NewCache makes a cache that adds the unwind rules of each file to r, unless that is nil.
func NewCache(r Rules) *Cache {
	return &Cache{
		rules: r, files: map[procs.FileID]*File{}, memory: map[string]*File{}, probed: map[procs.FileID]bool{},
	}
}

// NewLayoutCache makes a cache that reads only the layout of the V8 in each file, which is fast.
func NewLayoutCache() *Cache {
	c := NewCache(nil)
	c.layoutsOnly = true
	return c
}

// Get returns the file that a process has mapped. It is never nil; if it cannot be read, Problems says why.
func (c *Cache) Get(pid int, m procs.Mapping) *File {
	if f := c.files[m.File()]; f != nil && !f.replaced(procs.Path(pid, m)) {
		return f
	}
	if c.layoutsOnly {
		if has, err := c.HasV8(pid, m); !has && err == nil {
			return &File{Path: m.Path} // not cached: another mapping of the file may have V8's code
		}
	}
	f := c.read(pid, m)
	c.files[m.File()] = f
	return f
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
	if f := c.files[m.File()]; f != nil && f.Layout != nil {
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

func (c *Cache) read(pid int, m procs.Mapping) *File {
	file, err := procs.Open(pid, m)
	if err != nil {
		return &File{Path: m.Path, Problems: []error{err}}
	}
	roots := []string{procs.Root(pid), "/"}
	if c.layoutsOnly {
		return loadLayout(file, m.Path, roots...)
	}
	f := load(file, m.Path, roots...)
	f.stamp = stampOfFile(file)
	c.add(f)
	return f
}

// Preload reads an executable that is about to run, and the libraries that it will load.
func (c *Cache) Preload(path string) error {
	if err := c.preload(path); err != nil {
		return err
	}
	ef, err := elf.Open(path)
	if err != nil {
		return err
	}
	defer ef.Close()
	names, _ := ef.ImportedLibraries() // none if it is static
	for _, name := range append(names, loader) {
		for _, dir := range libraryDirs {
			if c.preload(filepath.Join(dir, name)) == nil {
				break
			}
		}
	}
	return nil
}

// libraryDirs are the directories in which distributions keep their libraries and the dynamic linker. This is a guess:
// a library elsewhere is read when it is mapped.
var libraryDirs = []string{
	"/lib/x86_64-linux-gnu", "/usr/lib/x86_64-linux-gnu", "/lib64", "/usr/lib64", "/lib", "/usr/lib",
}

const loader = "ld-linux-x86-64.so.2"

func (c *Cache) preload(path string) error {
	m, err := procs.Identify(path)
	if err != nil {
		return err
	}
	if c.files[m.File()] != nil {
		return nil
	}
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	f := load(file, path, "/")
	f.stamp = stampOf(path)
	c.add(f)
	c.files[m.File()] = f
	return nil
}

func (c *Cache) add(f *File) {
	if f.Rules == nil || c.rules == nil {
		return
	}
	var err error
	f.Slot, f.Pages, err = c.rules.AddTable(f.Rules)
	f.note("unwind rules", err)
	f.Rules.Rows = nil // the BPF maps have them now
}

// VdsoPath is the name of the vdso in /proc/PID/maps.
const VdsoPath = "[vdso]"

// Vdso returns the file of the vdso, the code that the kernel maps into each process; image is its memory.
func (c *Cache) Vdso(image []byte) *File {
	if c.layoutsOnly {
		return &File{Path: VdsoPath}
	}
	if f := c.memory[string(image)]; f != nil {
		return f
	}
	f := FromMemory(image, VdsoPath)
	c.add(f)
	c.memory[string(image)] = f
	return f
}
