package elffile

import (
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/hotspan/hotspan/agent/internal/filecache"
	"github.com/hotspan/hotspan/agent/internal/procs"
	"github.com/hotspan/hotspan/agent/internal/turn"
	"github.com/hotspan/hotspan/agent/internal/unwind"
)

// Rules receives the unwind rules of files, on any goroutine.
type Rules interface {
	AddTable(*unwind.Table) (slot, pages uint32, err error)
	RemoveTable(uint32) error
}

// Cache keeps the files that processes have mapped, each once, and releases a file after its last process has ended. A
// Hold of a process gets files. It is safe for concurrent use: who needs a file that is being read waits for it, and
// nobody else does, but where memory would not suffice.
type Cache struct {
	rules       Rules
	layoutsOnly bool // read only the layout of V8
	deferring   bool // see Defer
	deferred    deferred
	turns       *turn.Turns
	idleFor     time.Duration
	dir         *filecache.Dir // nil: nothing is kept on disk
	writes      sync.WaitGroup // to the disk and the BPF maps: see begin
	log         *slog.Logger   // of those to the disk

	mu       sync.Mutex // guards what follows, and how many users files and contents have
	files    map[key]*File
	numbered uint64                 // files that ever were in files
	idle     []*File                // those without users, the last released one last
	contents map[string][]*contents // that files share, by build id
	reading  map[key]chan struct{}  // files that are being read; closed then
	probed   map[procs.FileID]probed
	unused   []uint32 // tables of unwind rules that no contents have any more: see unlock
	closed   bool
}

// NewCache makes a cache that adds the unwind rules of each file to r, unless that is nil.
func NewCache(r Rules) *Cache {
	return &Cache{
		rules: r, files: map[key]*File{}, contents: map[string][]*contents{}, probed: map[procs.FileID]probed{},
		reading: map[key]chan struct{}{}, turns: turn.New(limits), idleFor: idleFor,
	}
}

// NewLayoutCache makes a cache that reads only the layout of the V8 in each file, which is fast.
func NewLayoutCache() *Cache {
	c := NewCache(nil)
	c.layoutsOnly = true
	return c
}

// Defer has large files that are read from now on kept, to share them and to have them on disk, only after RunDeferred:
// to hash a Node.js and to encode its symbols takes half as long as what samples need of it. Call it before others use
// the cache.
func (c *Cache) Defer() { c.deferring = true }

// RunDeferred has what was deferred done, and from now on all of it at once. It does not wait for that.
func (c *Cache) RunDeferred() { c.deferred.run() }

// Len returns the number of files that are kept: those that processes have mapped, and for a short time those that they
// had. It is safe for concurrent use.
func (c *Cache) Len() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.files)
}

// Sizes are the names and sizes of caches, to be logged: the files that are kept, and the rows of their unwind rules in
// BPF maps. It is safe for concurrent use.
func (c *Cache) Sizes() []any {
	c.mu.Lock()
	defer c.mu.Unlock()
	rows, counted := 0, map[*contents]bool{nil: true}
	for _, f := range c.files {
		if !counted[f.contents] {
			counted[f.contents] = true
			rows += f.contents.rows
		}
	}
	return []any{"executables", len(c.files), "unwind rows", rows}
}

// Files without users stay for a short time, since the next process often runs the same program. Their unwind rules in
// BPF maps, which are most of what they take, have a bound.
const (
	idleFor   = 30 * time.Second
	maxIdle   = 64      // files
	idleBytes = 8 << 20 // of unwind rules: Node 24's are 5.5 MB, libc's 0.2 MB
)

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
	defer c.unlock()
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
			defer c.unlock()
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

// drop gives back what a file takes, and its contents if no other file shares them. The caller calls unlock.
func (c *Cache) drop(f *File) {
	if c.files[f.key] == f {
		delete(c.files, f.key)
	}
	if f.contents != nil {
		c.leave(f.contents)
	}
}

// leave takes a file from those that share contents, and gives back what these take if it was the last. The caller
// calls unlock.
func (c *Cache) leave(out *contents) {
	if out.files--; out.files > 0 {
		return
	}
	all := slices.DeleteFunc(c.contents[out.buildID], func(o *contents) bool { return o == out })
	if c.contents[out.buildID] = all; len(all) == 0 {
		delete(c.contents, out.buildID)
	}
	if out.entry != nil {
		_ = out.entry.Close() // it was only read
	}
	if out.slot != 0 && !c.closed {
		c.unused = append(c.unused, out.slot)
	}
}

// unlock unlocks mu, and then removes tables that are unused. That waits for BPF programs that run, and those who take
// samples need mu.
func (c *Cache) unlock() {
	unused := c.unused
	c.unused = nil
	if len(unused) > 0 {
		c.writes.Add(1)
		defer c.writes.Done()
	}
	c.mu.Unlock()
	for _, slot := range unused {
		_ = c.rules.RemoveTable(slot) // the slot exists; if not, there is nothing to give back
	}
}

// rulesBytes estimates what the rules of a file take in BPF maps.
func (f *File) rulesBytes() int {
	if f.Slot == 0 {
		return 0
	}
	return 8 * (int(f.Pages) + f.contents.rows)
}

func (c *Cache) find(k key) *File {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.files[k]
}

// put adds a file with one user. If another file has its key, that one stays with its users alone.
func (c *Cache) put(k key, f *File) *File {
	c.mu.Lock()
	defer c.unlock()
	if old := c.files[k]; old != nil && old.users == 0 {
		c.idle = slices.DeleteFunc(c.idle, func(f *File) bool { return f == old })
		c.drop(old)
	}
	c.numbered++
	f.key, f.users, f.Number = k, 1, c.numbered
	c.files[k] = f
	return f
}
