package elffile

import (
	"fmt"
	"os"
	"slices"
	"time"

	"github.com/hotspan/hotspan/agent/internal/procs"
)

// Hold has the files of one process, or of one reading of its mappings. It is for one goroutine at a time.
type Hold struct {
	cache  *Cache
	files  []*File
	known  map[procs.FileID]*File
	stamps map[procs.Mapping]stamp // see Stat
	user   *procs.User             // of the process; nil: not asked yet
	spent  time.Duration           // waiting for files
}

// maxReading is how long the files of a process may be waited for together.
const maxReading = time.Minute

var errReading = fmt.Errorf("not read: the files of the process take more than %v", maxReading)

// Hold makes a Hold without files.
func (c *Cache) Hold() *Hold { return &Hold{cache: c, known: map[procs.FileID]*File{}} }

// Stat asks the kernel which files are mapped. Get would ask for each, on a goroutine of its own.
func (h *Hold) Stat(pid int, maps []procs.Mapping) {
	h.waits(pid, func() { h.stamps = stampsOf(pid, maps) })
}

// HasV8 reports whether a file that the process has mapped contains V8, whatever its name. The error is ErrNotAgain if
// it is one that was returned for another process, or earlier.
func (h *Hold) HasV8(pid int, m procs.Mapping) (has bool, err error) {
	if h.spent > maxReading {
		return false, errReading
	}
	h.waits(pid, func() { has, err = h.cache.hasV8(pid, m) })
	return has, err
}

// Get returns the file that a process has mapped, which stays until Release. It is never nil; if it cannot be read,
// Problems says why.
func (h *Hold) Get(pid int, m procs.Mapping) *File {
	if f := h.known[m.File()]; f != nil {
		return f
	}
	if h.spent > maxReading {
		return h.keep(h.cache.unread(pid, m, fmt.Errorf("%s: %w", m.Path, errReading)))
	}
	var f *File
	h.waits(pid, func() { f = h.keep(h.cache.get(pid, m, h.stampOf(pid, m))) })
	if f.key != (key{}) {
		h.known[m.File()] = f
	}
	return f
}

func (h *Hold) stampOf(pid int, m procs.Mapping) stamp {
	if s, ok := h.stamps[m]; ok {
		return s
	}
	return stampOf(pid, m)
}

// waits runs f, which reads files of a process, and counts how long that waits for them.
func (h *Hold) waits(pid int, f func()) {
	if h.user == nil {
		h.user = new(procs.UserOf(pid))
	}
	h.spent += procs.Waited(*h.user, f)
}

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
	clear(h.known)
	for _, f := range files {
		h.cache.release(f)
	}
}
