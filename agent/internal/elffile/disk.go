package elffile

import (
	"bytes"
	"cmp"
	"debug/elf"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"log/slog"

	"github.com/hotspan/hotspan/agent/internal/budget"
	"github.com/hotspan/hotspan/agent/internal/filecache"
)

// maxStored bounds what is kept on disk, in bytes. A Node.js takes 12 MB.
const maxStored = 256 << 20

// leastStored is the size of a file, in bytes, below which it is parsed as fast as it is found on disk.
const leastStored = 32 << 10

// maxStoredOf bounds how many files with one build id are compared.
const maxStoredOf = 8

// KeepIn has the cache keep in a directory what it parses, and look there first; in none if it is "". The directory
// is made where it is missing. The error says why it is not used: trusted.ErrUntrusted if others could write to it.
// Call it before the first Get. log receives what goes wrong later.
func (c *Cache) KeepIn(directory string, log *slog.Logger) error {
	if c.log = log; directory == "" {
		return nil
	}
	id, err := programID()
	if err != nil {
		return err
	}
	c.dir, err = filecache.Open(directory, id, maxStored)
	return err
}

// begin reports whether something may be written; not after Close. Call writes.Done when it is.
func (c *Cache) begin() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.closed {
		c.writes.Add(1)
	}
	return !c.closed
}

// Close waits for what is being written, and lets go of what is on disk: symbols cannot be looked up then. The rules in
// BPF maps stay, and these may be closed: nothing is written to them any more.
func (c *Cache) Close() {
	c.mu.Lock()
	c.closed = true
	c.mu.Unlock()
	c.deferred.run()
	c.writes.Wait()
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, all := range c.contents {
		for _, out := range all {
			if out.entry != nil {
				_ = out.entry.Close() // it was only read
			}
		}
	}
	if c.dir != nil {
		_ = c.dir.Close()
	}
}

// programID identifies this build of the program: what one build has parsed, another one may parse differently.
func programID() (string, error) {
	f, err := elf.Open("/proc/self/exe")
	if err != nil {
		return "", err
	}
	defer f.Close()
	s := f.Section(".note.go.buildid")
	if s == nil || s.Size > 4096 {
		return "", errors.New("this program has no build id of Go")
	}
	b, err := s.Data()
	return string(b), err
}

// storedName is the name of contents on disk.
func storedName(buildID string, id *identity) string {
	return fmt.Sprintf("%s%s", storedPrefix(buildID), hex.EncodeToString(id.file.hash[:8]))
}

func storedPrefix(buildID string) string { return cmp.Or(buildID, "none") + "-" }

// stored returns the contents on disk that are those of a file; nil if there are none.
func (c *Cache) stored(buildID string, r *reading) *contents {
	if c.dir == nil || r.size() < leastStored {
		return nil
	}
	names := c.dir.Names(storedPrefix(buildID))
	for _, name := range names[:min(len(names), maxStoredOf)] {
		e, err := c.dir.Get(name)
		if err != nil {
			continue // damaged, or of another build of this program: it was removed
		}
		out, err := decode(e.Parts)
		if err == nil && out.id.matches(r.file, r.debug) {
			out.entry = e
			return out.with(nil)
		}
		e.Close()
	}
	return nil
}

// store writes contents to disk and has them read from there; then it gives the memory of parsing back. parts are what
// encode has returned.
func (c *Cache) store(out *contents, parts [][]byte) {
	if err := c.move(out, parts); err != nil {
		c.log.Debug("not kept on disk", "build id", out.buildID, "why", err)
	}
	budget.GiveBack()
}

func (c *Cache) move(out *contents, parts [][]byte) error {
	name := storedName(out.buildID, out.id)
	if err := c.dir.Put(name, parts...); err != nil {
		return err
	}
	e, err := c.dir.Get(name)
	if err != nil {
		return err
	}
	if err := samePart(e.Parts, parts); err != nil { // another hotspan may have written it meanwhile
		return errors.Join(err, e.Close())
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if out.files == 0 {
		return e.Close()
	}
	out.entry = e
	if out.symbols != nil {
		out.symbols.Move(e.Parts[partSymbols])
	}
	if out.rules != nil {
		return out.rules.MoveKept(e.Parts[partKept])
	}
	return nil
}

// samePart compares what identifies the file, and the sizes of the tables.
func samePart(stored []*io.SectionReader, parts [][]byte) error {
	small := make([]byte, len(parts[partSmall]))
	if _, err := stored[partSmall].ReadAt(small, 0); err != nil {
		return err
	}
	for i, p := range parts {
		if stored[i].Size() != int64(len(p)) || i == partSmall && !bytes.Equal(small, p) {
			return errStored
		}
	}
	return nil
}
