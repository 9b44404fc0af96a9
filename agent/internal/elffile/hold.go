package elffile

import (
	"fmt"
	"os"
	"slices"

	"github.com/hotspan/hotspan/agent/internal/procs"
)

// Hold has the files of one process, or of one reading of its mappings. Its Get and Vdso are as safe as the cache's.
type Hold struct {
	cache *Cache
	files []*File
}

// Hold makes a Hold without files.
func (c *Cache) Hold() *Hold { return &Hold{cache: c} }

// Get returns the file that a process has mapped, which stays until Release. It is never nil; if it cannot be read,
// Problems says why.
func (h *Hold) Get(pid int, m procs.Mapping) *File { return h.keep(h.cache.get(pid, m)) }

// Opened returns a file that is open and was mapped under a path. It stays until Release, and is never nil; if it
// cannot be read, Problems says why.
func (h *Hold) Opened(file *os.File, path string) *File {
	k := key{}
	if st, err := procs.StatFile(file); err == nil {
		k.FileID = procs.FileID{Device: fmt.Sprintf("open %x", st.Dev), Inode: st.Ino}
	}
	return h.keep(h.cache.open(k, file, path, "/"))
}

// Vdso returns the file of the vdso, the code that the kernel maps into each process; image is its memory.
func (h *Hold) Vdso(image []byte) *File { return h.keep(h.cache.vdso(image)) }

// keep notes a file that has one user more, once.
func (h *Hold) keep(f *File) *File {
	if slices.Contains(h.files, f) {
		h.cache.release(f)
	} else {
		h.files = append(h.files, f)
	}
	return f
}

// Release gives the files back. Call it when the BPF program does not use their rules any more. It may wait until BPF
// programs that run have ended.
func (h *Hold) Release() {
	files := h.files
	h.files = nil
	for _, f := range files {
		h.cache.release(f)
	}
}
