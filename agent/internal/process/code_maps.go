package process

import (
	"slices"
	"strings"

	"github.com/hotspan/hotspan/agent/internal/procs"
)

// maxCodeMaps bounds the mappings that are kept of a process. Chromium has some 200 with code.
const maxCodeMaps = 4096

// codeMaps keeps, of the mappings of a process, those that have to do with code, so that one with tens of thousands
// takes no more memory than others. Pieces of anonymous memory that follow each other become one: V8 has code in all of
// them or in none (generated). But one that may be a copy of the builtins stays apart.
type codeMaps struct {
	before []Region // as the process was last read
	kept   []procs.Mapping
	left   int // that were not kept for want of room
	seen   int // all of them

	anonymous procs.Mapping // before the next mapping; empty: there is none
	code      bool          // there is code in it or next to it
	apart     bool          // what follows does not become one with it
}

// codeMapsOf reads the mappings of a process that have to do with code, and how many of these were not kept. before are
// the regions as it was last read. The error is that of reading.
func codeMapsOf(pid int, before []Region) ([]procs.Mapping, int, error) {
	c, err := readCodeMaps(pid, before)
	return c.kept, c.left, err
}

// readCodeMaps is codeMapsOf; kept are all.
func readCodeMaps(pid int, before []Region) (codeMaps, error) {
	c := codeMaps{before: before}
	if err := procs.EachMapping(pid, c.add); err != nil {
		return codeMaps{}, err
	}
	c.kept = c.all()
	return c, nil
}

// add adds the next mapping by address.
func (c *codeMaps) add(m procs.Mapping) {
	c.seen++
	switch {
	case isAnonymous(m) && !isContext(m):
		if apart := mayHoldBuiltins(m); apart || c.apart || c.anonymous.End != m.Start {
			c.code = c.code || m.Exec && c.anonymous.End == m.Start
			c.flush()
			c.anonymous, c.apart = m, apart
			c.code = len(c.kept) > 0 && c.kept[len(c.kept)-1].End == m.Start
		}
		c.anonymous.End, c.anonymous.Exec = m.End, c.anonymous.Exec || m.Exec
		c.code = c.code || m.Exec || heldCode(m, c.before)
	case m.Exec || isContext(m):
		c.code = c.code || c.anonymous.End == m.Start
		c.flush()
		c.keep(m)
	default:
		c.flush()
	}
}

// all returns the mappings that were kept.
func (c *codeMaps) all() []procs.Mapping {
	c.flush()
	restoreText(c.kept)
	return slices.Clip(c.kept)
}

// restoreText makes of text that a process has moved into anonymous memory, at the same addresses, a mapping of its
// file again. With --use-largepages Node.js has most of its own there. (src/large_pages/node_large_page.cc)
func restoreText(maps []procs.Mapping) {
	for i := 1; i < len(maps)-1; i++ {
		if before, m := maps[i-1], &maps[i]; isMovedText(before, *m, maps[i+1]) {
			m.Offset = before.Offset + m.Start - before.Start
			m.Inode, m.Device, m.Path = before.Inode, before.Device, before.Path
		}
	}
}

// isMovedText reports whether anonymous memory lies between two pieces of a file's text just where a third is missing.
func isMovedText(before, m, after procs.Mapping) bool {
	return m.Exec && isAnonymous(m) && before.Exec && before.Inode != 0 && after.Exec &&
		before.File() == after.File() && before.Path == after.Path && before.End == m.Start && m.End == after.Start &&
		after.Offset-before.Offset == after.Start-before.Start
}

func (c *codeMaps) flush() {
	if c.code && c.anonymous.End > c.anonymous.Start {
		c.keep(c.anonymous)
	}
	c.anonymous, c.code, c.apart = procs.Mapping{}, false, false
}

func (c *codeMaps) keep(m procs.Mapping) {
	if len(c.kept) == maxCodeMaps {
		c.left++
		return
	}
	c.kept = append(c.kept, m)
}

// The names under which /proc/PID/maps shows a process context. (OpenTelemetry, OTEP 4719)
var processContextNames = []string{"[anon_shmem:OTEL_CTX]", "[anon:OTEL_CTX]", "/memfd:OTEL_CTX"}

// isContext reports whether a mapping may be a process context.
func isContext(m procs.Mapping) bool {
	return !m.Exec && slices.Contains(processContextNames, strings.TrimSuffix(m.Path, " (deleted)"))
}
