package elffile

import (
	"errors"
	"fmt"

	"github.com/hotspan/hotspan/agent/internal/loaded"
	"github.com/hotspan/hotspan/agent/internal/procs"
	"github.com/hotspan/hotspan/v8/layout"
	"github.com/hotspan/hotspan/v8/target"
)

// A file that has no path any more is read from the memory of a process that has it mapped. What that process has
// there is what it says: no other process gets it, and no copy of the file.

// errFromMemory says what is missing of such a file.
var errFromMemory = fmt.Errorf("%w, and it is read from the memory of the process: functions that it does not export "+
	"have no names; CAP_CHECKPOINT_RESTORE opens the file itself", procs.ErrNoPath)

// inMemory is the key of a file that is read from the memory of a process.
func inMemory(pid int, m procs.Mapping) key { return key{FileID: m.File(), pid: pid} }

// OpenMemory opens what a process has in memory of a file that it has mapped: where procs.Open says procs.ErrNoPath.
func OpenMemory(pid int, m procs.Mapping) (*loaded.File, error) {
	file, _, err := openMemory(pid, m)
	return file, err
}

// openMemory is OpenMemory; mem is what the file is read from.
func openMemory(pid int, m procs.Mapping) (file *loaded.File, mem *procs.Timed, err error) {
	maps, err := procs.Maps(pid)
	if err != nil {
		return nil, nil, err
	}
	mem = procs.NewTimed(target.Live{PID: procs.Living(pid), Wait: true}) // Timed gives up waiting
	file, err = loaded.Open(mem, maps, m.File())
	return file, mem, err
}

// probeMemory is HasV8 of a file that is read from memory. The error gone says why it is.
func (c *Cache) probeMemory(pid int, m procs.Mapping, gone error) (bool, error) {
	if f := c.find(inMemory(pid, m)); f != nil && f.Layout != nil {
		return true, nil
	}
	file, err := OpenMemory(pid, m)
	if err != nil {
		return false, errors.Join(gone, err)
	}
	return layout.Probe(file), nil
}

// fromMemory is get of a file that is read from memory. The error gone says why it is.
func (c *Cache) fromMemory(pid int, m procs.Mapping, gone error) (*File, error) {
	k := inMemory(pid, m)
	defer c.alone(k)()
	file, mem, err := openMemory(pid, m)
	switch {
	case err != nil:
		return nil, errors.Join(gone, err)
	case c.layoutsOnly && !layout.Probe(file):
		return &File{Path: m.Path}, nil
	}
	t := c.beginTurn(limits.Large) // it may be a Node.js
	defer t.End()
	mem.WhenLate(t.Pass)
	out := c.parseMemory(file, procs.Root(pid), "/")
	return c.put(k, newFile(m.Path, c.upload(out))), nil
}

// parseMemory parses a file in memory, and a separate debug file below one of the roots.
func (c *Cache) parseMemory(file *loaded.File, roots ...string) *contents {
	h, err := readHead(file)
	if err != nil {
		return failed(err)
	}
	debug, done, problem := h.debug(roots)
	defer done()
	parse := parse
	if c.layoutsOnly {
		parse = parseLayout
	}
	out := parse(file, reader(debug)).with(problem)
	out.note("symbols", file.Missing())
	if debug == nil {
		out.note("", errFromMemory)
	}
	return out
}
