package elffile

import (
	"errors"
	"fmt"
	"io/fs"
	"time"

	"github.com/hotspan/hotspan/agent/internal/procs"
	"github.com/hotspan/hotspan/v8/layout"
)

// minV8 is a lower bound of the machine code of any V8 with its builtins, in bytes: Node 16 has 30 MB of code.
const minV8 = 4 << 20

// maxProbed bounds the cached results of HasV8. Builds of software create new files all the time.
const maxProbed = 1 << 14

// notAgain is how long a file that could not be read is left alone: its file system may answer again then.
const notAgain = time.Minute

// ErrNotAgain says that a file was not read because that has failed a moment ago.
var ErrNotAgain = fmt.Errorf("it is not read again for %v", notAgain)

// hasV8 reports whether a file that a process has mapped contains V8, whatever its name. It is called for each process
// that starts, so it is fast: most files have less code than V8 and need not be opened. The error is ErrNotAgain if it
// was returned before.
func (c *Cache) hasV8(pid int, m procs.Mapping) (bool, error) {
	if !m.Exec || m.Inode == 0 || m.End-m.Start < minV8 {
		return false, nil
	}
	has, err := c.probeAlone(pid, m)
	if errors.Is(err, procs.ErrNoPath) {
		return c.probeMemory(pid, m, err)
	}
	return has, err
}

func (c *Cache) probeAlone(pid int, m procs.Mapping) (bool, error) {
	defer c.alone(key{FileID: m.File()})()
	return c.probe(pid, m)
}

// probe is hasV8 for a caller who is alone with the file.
func (c *Cache) probe(pid int, m procs.Mapping) (bool, error) {
	keys := keysOf(m)
	for _, k := range keys {
		if f := c.find(k); f != nil && f.Layout != nil {
			return true, nil
		}
	}
	p := probed{stamp: stampOf(pid, m)}
	for _, k := range keys {
		if before, ok := c.probedBefore(k.FileID); ok && !before.stamp.replacedBy(p.stamp) {
			return before.has, before.err
		}
	}
	file, err := procs.Open(pid, m)
	if err != nil {
		if p.err = err; errors.Is(err, procs.ErrSlow) {
			c.keepProbed(ofUser(m).FileID, p)
		}
		return false, err
	}
	defer procs.Close(file)
	timed := procs.NewTimed(file)
	if p.has = layout.Probe(timed); !p.has && timed.Err() != nil {
		p.err = fmt.Errorf("%s: %w", m.Path, timed.Err())
	}
	c.keepProbed(keyOf(m, file).FileID, p)
	return p.has, p.err
}

// probedBefore returns the last result of probing a file, if it still holds.
func (c *Cache) probedBefore(id procs.FileID) (p probed, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	p, ok = c.probed[id]
	return p, ok && (p.err == nil || time.Now().Before(p.until))
}

// keepProbed keeps the result of probing a file, unless it may be another one for the next process.
func (c *Cache) keepProbed(id procs.FileID, p probed) {
	if errors.Is(p.err, fs.ErrPermission) || errors.Is(p.err, procs.ErrBusy) {
		return
	}
	if p.err != nil {
		p.err, p.until = fmt.Errorf("%w; %w", p.err, ErrNotAgain), time.Now().Add(notAgain)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.probed) >= maxProbed {
		clear(c.probed)
	}
	c.probed[id] = p
}
