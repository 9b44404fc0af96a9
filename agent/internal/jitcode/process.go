package jitcode

import (
	"errors"
	"hash/maphash"

	"github.com/hotspan/hotspan/agent/internal/jitdump"
	"github.com/hotspan/hotspan/pprofx"
	"github.com/hotspan/hotspan/v8/stack"
)

// Process keeps the code of one process.
type Process struct {
	*files
	keys   map[stack.CodeKey]*piece
	places map[uint64]*piece // by address of the first instruction: the one that was there last
}

// piece is a piece of code.
type piece struct {
	index      int // in the jitdump, from 1; 0: it is not there
	start, end uint64
	function   pprofx.Frame
	hash       uint64 // of its bytes
	texts      []Text
	points     map[int]*point
	lost       int64 // samples without a point
}

// point is an instruction with samples.
type point struct {
	samples int64
	frames  []*pprofx.Frame // innermost first: what is inlined there, and the function itself
}

// Code is where a piece of code comes from.
type Code interface {
	CopyCode(k stack.CodeKey, most int) ([]byte, []stack.CodeLine, error)
}

// maxKeys bounds the keys that are kept of one process. Beyond it they are learnt anew.
const maxKeys = 1 << 15

var seed = maphash.MakeSeed()

// See copies the code of a frame, unless it has been copied. f is the function that the code was compiled of, as the
// profile has it; its name is known. Without lines the code has none.
func (p *Process) See(k stack.CodeKey, f *pprofx.Frame, from Code, lines bool, time uint64, tid uint32) {
	if p.keys[k] != nil {
		return
	}
	if len(p.keys) >= maxKeys {
		clear(p.keys)
	}
	start, end := k.Range()
	c := &piece{start: start, end: end, function: *f, points: map[int]*point{}}
	p.keys[k] = c
	text, table, err := p.copy(k, from)
	if err != nil {
		return
	}
	c.hash = maphash.Bytes(seed, text)
	if old := p.places[start]; old != nil && old.same(c) {
		p.keys[k] = old
		return
	}
	if !lines {
		table = nil
	}
	c.texts = textsOf(table)
	p.load(c, &jitdump.Code{
		Time: time, TID: tid, Address: start, Name: f.Function, Bytes: text, Lines: dumpLines(start, table),
	})
}

// copy reads the code, or counts why not.
func (p *Process) copy(k stack.CodeKey, from Code) ([]byte, []stack.CodeLine, error) {
	if start, end := k.Range(); end-start > min(maxCode, uint64(p.r.bytes)) {
		p.r.stats.Large++
		return nil, nil, errLarge
	}
	text, lines, err := from.CopyCode(k, maxCode)
	if err != nil {
		p.r.stats.Unread++
	}
	return text, lines, err
}

var errLarge = errors.New("larger than what is kept")

// same reports whether two pieces at one place are one: it was found again after it had been forgotten.
func (c *piece) same(other *piece) bool {
	a, b := &c.function, &other.function
	return c.end == other.end && c.hash == other.hash && a.Function == b.Function && a.File == b.File &&
		a.Kind == b.Kind && a.Tier == b.Tier
}

// load writes a piece into the jitdump, with the next index.
func (p *Process) load(c *piece, code *jitdump.Code) {
	size := 128 + len(code.Name) + len(code.Bytes)
	for _, l := range code.Lines {
		size += 17 + len(l.File)
	}
	for _, t := range c.texts {
		size += 64 + len(t.Text)
	}
	if size > p.r.bytes {
		p.r.stats.Large++
		return
	}
	if p.r.err == nil && p.dump == nil {
		p.dump, p.r.err = createDump(p.path(dumpFile), p.pid)
	}
	if p.r.err == nil {
		code.Index = uint64(len(p.pieces) + 1)
		p.r.err = p.dump.Load(code)
	}
	if p.r.err != nil {
		p.r.stats.Unread++
		return
	}
	p.r.bytes -= size
	p.r.stats.Pieces++
	p.pieces = append(p.pieces, c)
	c.index = len(p.pieces)
	p.places[c.start] = c
}

func dumpLines(start uint64, lines []stack.CodeLine) []jitdump.Line {
	var out []jitdump.Line
	for _, l := range lines {
		out = append(out, jitdump.Line{Address: start + uint64(l.Offset), File: l.File, Line: l.Line, Column: l.Column})
	}
	return out
}

func textsOf(lines []stack.CodeLine) (out []Text) {
	for _, l := range lines {
		if l.Text != "" {
			out = append(out, Text{l.File, l.Line, l.Text})
		}
	}
	return out
}

// Count counts a sample that was taken at an instruction, whose stack begins with frames of it.
func (p *Process) Count(k stack.CodeKey, pc uint64, frames []*pprofx.Frame) {
	c := p.keys[k]
	if c == nil || c.index == 0 {
		p.r.stats.Lost++
		return
	}
	at := c.points[int(pc-c.start)]
	if at == nil {
		if p.r.points == 0 {
			c.lost++
			p.r.stats.Lost++
			return
		}
		p.r.points--
		at = &point{frames: own(frames)}
		c.points[int(pc-c.start)] = at
	}
	at.samples++
	p.r.stats.Samples++
}

// Miss counts a sample in code that was gone before it was found.
func (p *Process) Miss() { p.r.stats.Lost++ }

// own is the frames of a stack that are in one piece of code, innermost first: those that are inlined, and the next.
func own(frames []*pprofx.Frame) []*pprofx.Frame {
	for i, f := range frames {
		if !f.Inlined {
			return append([]*pprofx.Frame(nil), frames[:i+1]...)
		}
	}
	return nil
}
