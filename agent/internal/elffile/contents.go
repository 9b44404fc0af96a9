package elffile

import (
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

	id          *identity // nil: not to be shared
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
