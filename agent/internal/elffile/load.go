package elffile

import (
	"io"
	"os"
	"slices"

	"github.com/hotspan/hotspan/agent/internal/priority"
)

// load returns the contents of a file: those of a copy of it that was read before, or it parses the file. They have one
// file more that shares them.
func (c *Cache) load(file *os.File, roots ...string) *contents {
	defer priority.Background()()
	s, err := newSnapshot(file)
	if err != nil {
		return failed(err)
	}
	defer s.close()
	h, err := readHead(s)
	if err != nil {
		return failed(err)
	}
	found, problem := h.debugFile(roots)
	var debug *snapshot
	if found != nil {
		defer found.Close()
		if debug, problem = newSnapshot(found); debug != nil {
			defer debug.close()
		}
	}
	if c.layoutsOnly {
		return parseLayout(s, reader(debug)).with(problem)
	}
	if problem != nil {
		return c.upload(parse(s, reader(debug)).with(problem))
	}
	if shared := c.share(h.buildID, s, debug); shared != nil {
		return shared
	}
	if out := c.stored(h.buildID, s, debug); out != nil {
		return c.add(c.upload(out))
	}
	out := parse(s, reader(debug)).with(nil)
	if s.err != nil || debug != nil && debug.err != nil {
		return c.upload(out)
	}
	out.id = identityOf(s, debug)
	if c.dir == nil {
		return c.add(c.upload(out))
	}
	parts := out.encode()
	c.mu.Lock()
	if !c.closed {
		c.writes.Go(func() {
			defer priority.Background()()
			c.store(out, parts)
		})
	}
	c.mu.Unlock()
	return c.add(c.upload(out))
}

// add adds contents to those that files share.
func (c *Cache) add(out *contents) *contents {
	c.mu.Lock()
	defer c.mu.Unlock()
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
	if out.rules == nil || c.rules == nil {
		return out
	}
	var err error
	out.rows = out.rules.Len()
	out.slot, out.pages, err = c.rules.AddTable(out.rules)
	out.note("unwind rules", err)
	out.rules.Rows = nil // the BPF maps have them now
	return out
}
