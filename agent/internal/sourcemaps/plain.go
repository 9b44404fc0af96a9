package sourcemaps

import (
	"bytes"
	"errors"
	"io"

	"github.com/hotspan/hotspan/agent/internal/priority"
	"github.com/hotspan/hotspan/agent/internal/procs"
	"github.com/hotspan/hotspan/v8/functions"
	"github.com/hotspan/hotspan/v8/heap"
)

// aroundText is how many lines may be put around a script's text: Node appends two to TypeScript, Jest one.
const aroundText = 2

// maxPlain bounds the scripts that are remembered. The files of more may be compared again.
const maxPlain = 1 << 13

// compare has a script that names no map compared with its file, unless that was done, for any process.
func (p *Process) compare(s functions.MappedScript) {
	if p.root == nil || s.Source == nil {
		return
	}
	m, script := p.maps, plainScript{s.Script.Name, lineFeeds(s.Source)}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.plain[script] {
		return
	}
	if len(m.plain) == maxPlain {
		clear(m.plain)
	}
	m.plain[script] = true
	if p.plain = append(p.plain, script); len(p.plain) == 1 {
		p.uses.scripts++
		go p.compareAll()
	}
}

// compareAll compares scripts with their files, one after the other, until none waits. A process with a slow file has
// no more: each would be waited for.
func (p *Process) compareAll() {
	defer priority.Background()()
	m := p.maps
	m.mu.Lock()
	defer m.mu.Unlock()
	for len(p.plain) > 0 {
		s := p.plain[0]
		m.mu.Unlock()
		lines, err := p.fileLines(s.name)
		m.mu.Lock()
		p.plain = p.plain[1:]
		switch {
		case errors.Is(err, procs.ErrSlow) || errors.Is(err, procs.ErrBusy):
			p.plain = nil
		case err == nil && max(s.lines-lines, lines-s.lines) > aroundText:
			m.stats.Changed++
			m.log.Debug("a script was changed as it was loaded, or its file later, and it names no source map",
				"script", s.name, "lines", s.lines, "of the file", lines)
		}
	}
	p.uses.scripts--
	p.uses.close()
}

// fileLines counts the line feeds of a file.
func (p *Process) fileLines(name string) (lines int, err error) {
	p.reads(func() {
		f, _, failed := p.root.Open(name)
		if err = failed; err != nil {
			return
		}
		defer procs.Close(f)
		file, piece := io.NewSectionReader(procs.NewTimed(f), 0, largest), make([]byte, pieceSize)
		for n := 0; err == nil; lines += bytes.Count(piece[:n], []byte{'\n'}) {
			n, err = file.Read(piece)
		}
	})
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return lines, err
}

func lineFeeds(t *heap.Text) int {
	n := bytes.Count(t.One, []byte{'\n'})
	for _, unit := range t.Two {
		if unit == '\n' {
			n++
		}
	}
	return n
}
