package jitdump

import (
	"fmt"
	"io"
	"log/slog"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/hotspan/hotspan/agent/internal/procs"
	"github.com/hotspan/hotspan/v8/target"
)

// maxFiles bounds the files that are read of one process.
const maxFiles = 8

// Names gives names to the machine code of a process that writes it into jitdumps. Such a process maps the first page
// of its file as code, so that perf sees it. A file is read when a sample needs it, and then only what is new in it.
// Names is not safe for concurrent use.
type Names struct {
	of    Owner
	mem   io.ReaderAt
	log   *slog.Logger
	wait  time.Duration // at most, for a file to be read
	files []*follower
	known map[procs.FileID]bool // the files that have been met
}

// Place is what a jitdump says of an instruction.
type Place struct {
	Function     string
	File         string // of the source; empty: not known
	Line, Column int    // 1-based; 0 = not known
	Dump         string // path of the jitdump, as the process sees it
}

// NewNames makes Names for a process. They know no file before Mapped.
func NewNames(of Owner, log *slog.Logger) *Names {
	return &Names{
		of: of, mem: target.Live{PID: of.PID}, log: log, wait: longestWait, known: map[procs.FileID]bool{},
	}
}

var errTooMany = fmt.Errorf("the process has more than %d", maxFiles)

var fileName = regexp.MustCompile(`^jit-([0-9]{1,10})\.dump$`)

// Mapped looks for new files in what the process has mapped now.
func (n *Names) Mapped(maps []procs.Mapping) {
	for _, m := range maps {
		if !m.Exec || m.Inode == 0 || n.known[m.File()] {
			continue
		}
		as := strings.TrimSuffix(m.Path, deleted)
		name := fileName.FindStringSubmatch(path.Base(as))
		if name == nil || name[1] != strconv.Itoa(n.of.Inner) || len(n.known) > maxFiles {
			continue
		}
		n.known[m.File()] = true
		f := &follower{file: newFile(n.of, m), path: Text(as), mem: n.mem, log: n.log, wait: n.wait}
		if len(n.known) > maxFiles {
			f.tell(errTooMany)
			continue
		}
		n.files = append(n.files, f)
	}
}

// deleted is what the kernel appends to the path of a file without a name.
const deleted = " (deleted)"

// Any reports whether there are files that are read.
func (n *Names) Any() bool {
	n.files = slices.DeleteFunc(n.files, func(f *follower) bool { return f.failed })
	return len(n.files) > 0
}

// Find returns what was at an address at a time, and false where that is not known. Times are CLOCK_MONOTONIC in
// nanoseconds.
func (n *Names) Find(addr uint64, time, now int64) (Place, bool) {
	var newest *piece
	var of Place
	for _, f := range n.files {
		if !f.upTo(time, now) {
			if !f.failed {
				return Place{}, false // it may have what is there now
			}
			continue
		}
		if p := f.find(addr, time); p != nil && (newest == nil || p.from > newest.from) {
			l := p.line(addr)
			newest, of = p, Place{p.name, l.File, l.Line, l.Column, f.path}
		}
	}
	return of, newest != nil
}

// Close closes the files.
func (n *Names) Close() {
	for _, f := range n.files {
		f.close()
	}
	n.files = nil
}
