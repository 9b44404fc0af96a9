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

// Tracers and other loaders change modules as they are loaded, and some write no source map then: the lines of such a
// script are not those of its file.

// aroundText is how many lines may be put around a script's text: Node appends two to TypeScript, Jest one.
const aroundText = 2

// maxPlain bounds the remembered scripts of a process. The files of more may be compared again.
const maxPlain = 1 << 13

// compare starts to compare a script that names no map with its file.
func (p *Process) compare(s functions.MappedScript) {
	m, name := p.maps, s.Script.Name
	m.mu.Lock()
	defer m.mu.Unlock()
	if p.plain[name] || p.root == nil || s.Source == nil {
		return
	}
	if len(p.plain) == maxPlain {
		clear(p.plain)
	}
	p.plain[name] = true
	p.uses.scripts++
	go func(runs int) {
		defer priority.Background()()
		lines, err := p.fileLines(name)
		m.mu.Lock()
		defer m.mu.Unlock()
		p.uses.scripts--
		p.uses.close()
		if err != nil || max(runs-lines, lines-runs) <= aroundText {
			return
		}
		m.stats.Changed++
		m.log.Debug("a script was changed as it was loaded, or its file later, and it names no source map", "script",
			name, "lines", runs, "of the file", lines)
	}(lineFeeds(s.Source))
}

// fileLines counts the lines of a file: of one at a time, and not of those for which maps may wait.
func (p *Process) fileLines(name string) (lines int, err error) {
	p.comparing.Lock()
	defer p.comparing.Unlock()
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
