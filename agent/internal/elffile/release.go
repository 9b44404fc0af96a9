package elffile

import (
	"slices"
	"time"

	"github.com/hotspan/hotspan/agent/internal/procs"
)

// Files without users stay for a short time, since the next process often runs the same program. Their unwind rules in
// BPF maps, which are most of what they take, have a bound.
const (
	idleFor   = 30 * time.Second
	maxIdle   = 64      // files
	idleBytes = 8 << 20 // of unwind rules: Node 24's are 5.5 MB, libc's 0.2 MB
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

// How many users a file must have for use to add one.
const (
	idle   = 0
	mapped = 1
)

// use adds a user to a file, unless the file was dropped or has fewer users than that.
func (c *Cache) use(f *File, least int) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.files[f.key] != f || f.users < least {
		return false
	}
	if f.users == 0 {
		c.idle = slices.DeleteFunc(c.idle, func(i *File) bool { return i == f })
	}
	f.users++
	return true
}

func (c *Cache) release(f *File) {
	c.mu.Lock()
	defer c.mu.Unlock()
	f.users--
	switch {
	case f.users > 0 || f.key == (key{}): // or it was never in the cache
	case c.files[f.key] != f: // a newer file has its name
		c.drop(f)
	default:
		f.idleSince = time.Now()
		c.idle = append(c.idle, f)
		c.dropIdle(f.idleSince)
		time.AfterFunc(c.idleFor, func() {
			c.mu.Lock()
			defer c.mu.Unlock()
			c.dropIdle(time.Now())
		})
	}
}

// dropIdle drops the files that have been without users for long, and those beyond the bounds, the oldest first.
func (c *Cache) dropIdle(now time.Time) {
	left := 0
	for _, f := range c.idle {
		left += f.rulesBytes()
	}
	for len(c.idle) > 0 {
		f := c.idle[0]
		if now.Sub(f.idleSince) < c.idleFor && len(c.idle) <= maxIdle && left <= idleBytes {
			return
		}
		left -= f.rulesBytes()
		c.idle = c.idle[1:]
		c.drop(f)
	}
}

// drop gives back what a file takes, and its contents if no other file shares them.
func (c *Cache) drop(f *File) {
	if c.files[f.key] == f {
		delete(c.files, f.key)
	}
	out := f.contents
	if out == nil {
		return
	}
	if out.files--; out.files > 0 {
		return
	}
	all := slices.DeleteFunc(c.contents[out.buildID], func(o *contents) bool { return o == out })
	if c.contents[out.buildID] = all; len(all) == 0 {
		delete(c.contents, out.buildID)
	}
	if out.slot != 0 {
		_ = c.rules.RemoveTable(out.slot) // the slot exists; if not, there is nothing to give back
	}
}

// rulesBytes estimates what the rules of a file take in BPF maps.
func (f *File) rulesBytes() int {
	if f.Slot == 0 {
		return 0
	}
	return 8 * (int(f.Pages) + f.contents.rows)
}
