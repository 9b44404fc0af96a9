package elffile

import (
	"debug/elf"
	"os"
	"path/filepath"

	"github.com/hotspan/hotspan/agent/internal/procs"
	"github.com/hotspan/hotspan/agent/internal/unwind"
	"github.com/hotspan/hotspan/v8/layout"
)

// Rules is where unwind rules go.
type Rules interface {
	AddTable(*unwind.Table) (slot, pages uint32, err error)
	RemoveTable(uint32) error
}

// Cache keeps files by device and inode. It is not safe for concurrent use.
type Cache struct {
	rules       Rules
	layoutsOnly bool // of files only the layout of V8 is read
	files       map[procs.FileID]*File
	memory      map[string]*File
	probed      map[procs.FileID]bool // whether files that were not read hold V8
}

// NewCache gives the unwind rules of each file to r.
func NewCache(r Rules) *Cache {
	return &Cache{
		rules: r, files: map[procs.FileID]*File{}, memory: map[string]*File{}, probed: map[procs.FileID]bool{},
	}
}

// NewLayoutCache makes a cache that reads of each file nothing but the layout of the V8 in it. It is quick.
func NewLayoutCache() *Cache {
	c := NewCache(nil)
	c.layoutsOnly = true
	return c
}

// Get is the file that a process has mapped. It is never nil; one that cannot be read says so in Problems.
func (c *Cache) Get(pid int, m procs.Mapping) *File {
	if f := c.files[m.File()]; f != nil && !f.replaced(procs.Path(pid, m)) {
		return f
	}
	if c.layoutsOnly {
		if has, err := c.HasV8(pid, m); !has && err == nil {
			return &File{Path: m.Path} // not kept: it says nothing of the file's other mappings
		}
	}
	f := c.read(pid, m)
	c.files[m.File()] = f
	return f
}

// minV8 is less than the machine code of any V8 with its builtins, in bytes: Node 16 has 30 MB of code.
const minV8 = 4 << 20

// maxProbed bounds what is kept of files that are not read. Builds of software make new ones all the time.
const maxProbed = 1 << 14

// HasV8 reports whether V8 is in a file that a process has mapped, by whatever name. It is quick, as it is asked of
// each process that starts: most files have not as much code as V8, and need not be opened.
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

// Preload reads a program that is about to run, and the libraries that it will be given.
func (c *Cache) Preload(path string) error {
	if err := c.preload(path); err != nil {
		return err
	}
	ef, err := elf.Open(path)
	if err != nil {
		return err
	}
	defer ef.Close()
	names, _ := ef.ImportedLibraries() // none where it is static
	for _, name := range append(names, loader) {
		for _, dir := range libraryDirs {
			if c.preload(filepath.Join(dir, name)) == nil {
				break
			}
		}
	}
	return nil
}

// Where distributions have their libraries, and the dynamic linker among them. It is only a guess: what is elsewhere is
// read when it is mapped.
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
	f.Rules.Rows = nil // the kernel has them now
}

const vdso = "[vdso]"

// Vdso is the code that the kernel maps into each process; image is its memory.
func (c *Cache) Vdso(image []byte) *File {
	if c.layoutsOnly {
		return &File{Path: vdso}
	}
	if f := c.memory[string(image)]; f != nil {
		return f
	}
	f := FromMemory(image, vdso)
	c.add(f)
	c.memory[string(image)] = f
	return f
}
