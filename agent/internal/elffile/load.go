package elffile

import (
	"os"
	"slices"

	"github.com/hotspan/hotspan/agent/internal/budget"
	"github.com/hotspan/hotspan/agent/internal/priority"
	"github.com/hotspan/hotspan/agent/internal/turn"
)

// largeFile is the size of a file, in bytes, from which on garbage is collected sooner while it is parsed: there is
// more of it than a small service has. Node 16 has 80 MB.
const largeFile = 32 << 20

// load returns the contents of a file: those of a copy of it that was read before, or it parses the file. They have one
// file more that shares them.
func (c *Cache) load(file *os.File, roots ...string) *contents {
	defer priority.Background()()
	s, err := newStableFile(file)
	if err != nil {
		return failed(err)
	}
	r := &reading{file: s, done: []func(){s.close}}
	out, deferred := c.contentsOf(r, roots...)
	if s.err != nil { // then they are not shared
		out.err = s.err
	}
	if deferred {
		c.keepDeferred(out, r)
	} else {
		r.end()
	}
	return out
}

// contentsOf is load for a file of which there is a stableFile. With deferred, the contents use that, and are not
// kept yet.
func (c *Cache) contentsOf(r *reading, roots ...string) (out *contents, deferred bool) {
	h, err := readHead(r.file)
	if err != nil {
		return failed(err), false
	}
	debug, done, problem := h.debug(roots)
	r.debug, r.done = debug, append(r.done, done)
	if c.layoutsOnly {
		return parseLayout(r.file, reader(debug)).with(problem), false
	}
	c.takeTurn(r)
	if problem != nil {
		return c.upload(parse(r.file, reader(debug)).with(problem)), false
	}
	if out = c.share(h.buildID, r.file, debug); out != nil {
		return out, false
	}
	if out = c.stored(h.buildID, r); out != nil {
		return c.add(c.upload(out)), false
	}
	if r.size() >= largeFile {
		r.done = append(r.done, budget.CollectSooner())
	}
	out = c.upload(parseParts(r.file, reader(debug)).with(nil))
	if c.deferring && r.size() >= largeFile && !r.failed() {
		return out, true
	}
	out.pack()
	if r.failed() {
		return out, false
	}
	return c.keep(out, r), false
}

// takeTurn waits for the turn of a file.
func (c *Cache) takeTurn(r *reading) {
	t := c.beginTurn(r.size())
	r.done = append(r.done, t.End)
	r.file.takes(t)
	if r.debug != nil {
		r.debug.takes(t)
	}
}

// beginTurn waits for a turn of such a size. A large file that is to be kept may have it, and is kept now.
func (c *Cache) beginTurn(size int64) *turn.Turn {
	if size > limits.Small {
		defer c.deferred.needTurn()()
	}
	return c.turns.Begin(size)
}

// share returns the contents that files with a build id have if they are those of this file too; else nil.
func (c *Cache) share(buildID string, s, debug *stableFile) *contents {
	c.mu.Lock()
	candidates := slices.Clone(c.contents[buildID])
	c.mu.Unlock()
	for _, out := range candidates {
		if !out.id.matches(s, debug) {
			continue
		}
		c.mu.Lock()
		defer c.mu.Unlock()
		if out.files > 0 { // else it was dropped meanwhile
			out.files++
			return out
		}
		return nil
	}
	return nil
}

// upload gives the unwind rules of a file to the BPF program.
func (c *Cache) upload(out *contents) *contents {
	if out.rules == nil || c.rules == nil || !c.begin() {
		return out
	}
	defer c.writes.Done()
	out.rows = out.rules.Len()
	out.slot, out.pages, out.unplaced = c.rules.AddTable(out.rules)
	return out
}
