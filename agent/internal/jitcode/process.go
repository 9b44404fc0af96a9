package jitcode

import (
	"errors"
	"hash/maphash"

	"github.com/hotspan/hotspan/agent/internal/jitdump"
	"github.com/hotspan/hotspan/pprofx"
	"github.com/hotspan/hotspan/v8/functions"
)

// Process keeps the code of one process.
type Process struct {
	*files
	*totals
	keys   map[functions.CodeKey]*piece
	places map[uint64]*piece // by address of the first instruction: the one that was there last
	native map[place]*piece
}

// place is where a function of a file begins.
type place struct{ file, address uint64 }

// maxKeys bounds the keys that are kept of one process. Beyond it they are learnt anew.
const maxKeys = 1 << 15

var seed = maphash.MakeSeed()

// See copies the code of a frame, unless it has been copied. f is the function that the code was compiled of, as the
// profile has it; its name is known. Without lines the code has none.
func (p *Process) See(k functions.CodeKey, f *pprofx.Frame, from *functions.Resolver, lines bool, time uint64,
	tid uint32) {
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
	if !lines {
		table = nil
	}
	p.keys[k] = p.add(c, text, table, time, tid)
}

// add writes a piece of code, unless it is the one that was found at its place before. It returns that of both which
// counts.
func (p *Process) add(c *piece, text []byte, table []functions.CodeLine, time uint64, tid uint32) *piece {
	c.hash = maphash.Bytes(seed, text)
	if old := p.places[c.start]; old != nil && old.same(c) {
		return old
	}
	c.texts = textsOf(table)
	p.load(c, &jitdump.Code{
		Time: time, TID: tid, Address: c.start, Name: c.function.Function, Bytes: text,
		Lines: dumpLines(c.start, table),
	})
	if c.index > 0 {
		p.places[c.start] = c
	}
	return c
}

// copy reads the code, or counts why not.
func (p *Process) copy(k functions.CodeKey, from *functions.Resolver) ([]byte, []functions.CodeLine, error) {
	if start, end := k.Range(); end-start > min(maxCode, uint64(p.bytes)) {
		p.Stats.Large++
		return nil, nil, errLarge
	}
	text, lines, err := from.CopyCode(k, maxCode)
	if err != nil {
		p.Stats.Unread++
	}
	return text, lines, err
}

var errLarge = errors.New("larger than what is kept")

// load writes a piece into its dump, with the next index.
func (p *Process) load(c *piece, code *jitdump.Code) {
	size := 128 + len(code.Name) + len(code.Bytes)
	for _, l := range code.Lines {
		size += 17 + len(l.File)
	}
	for _, t := range c.texts {
		size += 64 + len(t.Text)
	}
	if size > p.bytes {
		p.Stats.Large++
		return
	}
	if p.err == nil {
		code.Index = uint64(len(p.pieces) + 1)
		p.err = p.append(c.dump, code)
	}
	if p.err != nil {
		p.Stats.Unread++
		return
	}
	p.bytes -= size
	p.Stats.Pieces++
	p.pieces = append(p.pieces, c)
	c.index = len(p.pieces)
}

func dumpLines(start uint64, lines []functions.CodeLine) []jitdump.Line {
	var out []jitdump.Line
	for _, l := range lines {
		out = append(out, jitdump.Line{Address: start + uint64(l.Offset), File: l.File, Line: l.Line, Column: l.Column})
	}
	return out
}

func textsOf(lines []functions.CodeLine) (out []Text) {
	for _, l := range lines {
		if l.Text != "" {
			out = append(out, Text{l.File, l.Line, l.Text})
		}
	}
	return out
}

// Count counts a sample that was taken at an instruction, whose stack begins with frames of it.
func (p *Process) Count(k functions.CodeKey, pc uint64, frames []*pprofx.Frame) {
	p.count(p.keys[k], pc, frames)
}

func (p *Process) count(c *piece, pc uint64, frames []*pprofx.Frame) {
	if c == nil || c.index == 0 || pc < c.start || pc >= c.end {
		p.Stats.Lost++
		return
	}
	offset := int(pc - c.start)
	at := c.points[offset]
	if at == nil {
		if p.points == 0 {
			c.lost++
			p.Stats.Lost++
			return
		}
		p.points--
		at = &point{frames: own(frames)}
		c.points[offset] = at
	}
	at.samples++
	p.Stats.Samples++
}

// Miss counts a sample in code that was not found.
func (p *Process) Miss() { p.Stats.Lost++ }
