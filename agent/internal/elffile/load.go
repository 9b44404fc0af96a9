package elffile

import (
	"io"
	"os"
	"slices"

	"github.com/hotspan/hotspan/agent/internal/budget"
	"github.com/hotspan/hotspan/agent/internal/priority"
)

// largeFile is the size of a file, in bytes, from which on garbage is collected sooner while it is parsed: there is
// more of it than a small service has. Node 16 has 80 MB.
const largeFile = 32 << 20

// load returns the contents of a file: those of a copy of it that was read before, or it parses the file. They have one
// file more that shares them.
func (c *Cache) load(file *os.File, roots ...string) *contents {
	defer priority.Background()()
	s, err := newSnapshot(file)
	if err != nil {
		return failed(err)
	}
	defer s.close()
	out := c.contentsOf(s, roots...)
	if s.err != nil { // then they are not shared
		out.err = s.err
	}
	return out
}

// contentsOf is load for a file of which there is a snapshot.
func (c *Cache) contentsOf(s *snapshot, roots ...string) *contents {
	h, err := readHead(s)
	if err != nil {
		return failed(err)
	}
	debug, done, problem := h.debug(roots)
	defer done()
	if c.layoutsOnly {
		return parseLayout(s, reader(debug)).with(problem)
	}
	t := c.turns.Begin(s.size + debug.bytes())
	defer t.End()
	if s.size+debug.bytes() >= largeFile {
		defer budget.CollectSooner()()
	}
	s.takes(t)
	if debug != nil {
		debug.takes(t)
	}
	if problem != nil {
		return c.upload(parse(s, reader(debug)).with(problem))
	}
	if shared := c.share(h.buildID, s, debug); shared != nil {
		return shared
	}
	small := s.size+debug.bytes() < leastStored
	if !small {
		if out := c.stored(h.buildID, s, debug); out != nil {
			return c.add(c.upload(out))
		}
	}
	out := parse(s, reader(debug)).with(nil)
	if s.err != nil || debug != nil && debug.err != nil {
		return c.upload(out)
	}
	out.id = identityOf(s, debug)
	if small {
		return c.add(c.upload(out))
	}
	return c.addAndStore(out)
}

// addAndStore uploads and adds contents, and has them written to disk if they are the first.
func (c *Cache) addAndStore(out *contents) *contents {
	if c.dir == nil {
		return c.add(c.upload(out))
	}
	parts := out.encode() // before the rules are in the BPF maps alone
	added := c.add(c.upload(out))
	if added == out && c.begin() {
		go func() {
			defer c.writes.Done()
			defer priority.Background()()
			c.store(out, parts)
		}()
	}
	return added
}

// add adds contents to those that files share. If equal ones were added meanwhile, which takes a slow file, it gives
// back what these take, and returns the others.
func (c *Cache) add(out *contents) *contents {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, other := range c.contents[out.buildID] {
		if other.files > 0 && other.id.equal(out.id) {
			other.files++
			c.leave(out)
			return other
		}
	}
	c.contents[out.buildID] = append(c.contents[out.buildID], out)
	return out
}

// reader returns a snapshot as a reader; nil if there is none.
func reader(s *snapshot) io.ReaderAt {
	if s == nil {
		return nil
	}
	return s
}

// share returns the contents that files with a build id have if they are those of this file too; else nil. It reads the
// file itself and not the snapshot: the bytes need not stay.
func (c *Cache) share(buildID string, s, debug *snapshot) *contents {
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
	var err error
	out.rows = out.rules.Len()
	out.slot, out.pages, err = c.rules.AddTable(out.rules)
	out.note("unwind rules", err)
	out.rules.Rows = nil // the BPF maps have them now
	return out
}
