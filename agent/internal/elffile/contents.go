package elffile

import (
	"github.com/hotspan/hotspan/agent/internal/filecache"
	"github.com/hotspan/hotspan/agent/internal/symbols"
	"github.com/hotspan/hotspan/agent/internal/threadlocal"
	"github.com/hotspan/hotspan/agent/internal/unwind"
	"github.com/hotspan/hotspan/agent/internal/uvpool"
	"github.com/hotspan/hotspan/v8/layout"
)

// contents are what was parsed of a file. Copies of a file share them.
type contents struct {
	buildID      string
	segments     symbols.Segments
	symbols      *symbols.Table
	rules        *unwind.Table
	layout       *layout.Layout
	threadLocals *threadlocal.File
	pool         *uvpool.Pool
	problems     []problem
	unplaced     error // why the rules are not in a BPF map
	err          error // of reading the file, whatever is in it

	id          *identity        // nil: not to be shared
	entry       *filecache.Entry // nil: not on disk
	slot, pages uint32
	rows        int // of the rules in the BPF map
	files       int // that share them
}

// identity is the fingerprint of a file and of its separate debug file, if there is one.
type identity struct {
	file  fingerprint
	debug *fingerprint
}

// problem says why a part of a file could not be read.
type problem struct {
	what string // part; empty: the whole file
	err  error
}

func (c *contents) note(what string, err error) {
	if err != nil {
		c.problems = append(c.problems, problem{what, err})
	}
}

// failed are the contents of a file that cannot be read.
func failed(err error) *contents {
	out := &contents{files: 1}
	out.note("", err)
	return out
}

// with adds a problem with the debug file, and the first file that has the contents.
func (c *contents) with(problem error) *contents {
	c.note("debug file", problem)
	c.files = 1
	return c
}

func identityOf(s, debug *stableFile) *identity {
	id := &identity{file: s.fingerprint()}
	if debug != nil {
		fp := debug.fingerprint()
		id.debug = &fp
	}
	return id
}

// matches reports whether a file and its debug file have the bytes that the identity is of.
func (id *identity) matches(s, debug *stableFile) bool {
	if (id.debug == nil) != (debug == nil) || !id.file.matches(s) {
		return false
	}
	return debug == nil || id.debug.matches(debug)
}

// equal reports whether two identities are of the same bytes.
func (id *identity) equal(other *identity) bool {
	if (id.debug == nil) != (other.debug == nil) || !id.file.equal(&other.file) {
		return false
	}
	return id.debug == nil || id.debug.equal(other.debug)
}
