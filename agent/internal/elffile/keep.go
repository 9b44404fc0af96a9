package elffile

import "github.com/hotspan/hotspan/agent/internal/priority"

// keep adds contents that were just parsed, and has them written to disk if they are the first.
func (c *Cache) keep(out *contents, r *reading) *contents {
	out.id = identityOf(r.file, r.debug)
	parts := c.encode(out, r)
	added := c.add(out)
	if parts != nil && added == out && c.begin() {
		go func() {
			defer c.writes.Done()
			defer priority.Background()()
			c.store(out, parts)
		}()
	}
	return added
}

// encode returns what is to be written to disk; nil for nothing. Rules that are in the BPF maps are in no other memory
// then.
func (c *Cache) encode(out *contents, r *reading) (parts [][]byte) {
	if c.dir != nil && r.size() >= leastStored {
		parts = out.encode()
	}
	if c.rules != nil && out.rules != nil {
		out.rules.Rows = nil
	}
	return parts
}

// add adds contents to those that files share. If equal ones were added meanwhile, which takes a slow file, it gives
// back what these take, and returns the others.
func (c *Cache) add(out *contents) *contents {
	c.mu.Lock()
	defer c.unlock()
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

// keepDeferred keeps contents that a file has, on a goroutine, and then ends the reading.
func (c *Cache) keepDeferred(out *contents, r *reading) {
	if !c.begin() {
		out.pack()
		r.end()
		return
	}
	go func() {
		defer c.writes.Done()
		c.deferred.wait()
		defer priority.Background()()
		parts := c.keepUsed(out, r)
		r.end()
		if parts != nil {
			c.store(out, parts)
		}
	}()
}

// keepUsed adds contents that a file has, unless there are equal ones. It returns what is to be written to disk.
func (c *Cache) keepUsed(out *contents, r *reading) [][]byte {
	if out.symbols != nil {
		if err := out.symbols.Pack(); err != nil { // users have the table: it names nothing then
			c.log.Warn("native code of a file has no names", "build id", out.buildID, "why", err)
			return nil
		}
	}
	out.id = identityOf(r.file, r.debug)
	parts := c.encode(out, r)
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, other := range c.contents[out.buildID] {
		if other.id.equal(out.id) {
			return nil
		}
	}
	if out.files > 0 {
		c.contents[out.buildID] = append(c.contents[out.buildID], out)
	}
	return parts
}
