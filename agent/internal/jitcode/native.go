package jitcode

import (
	"io"

	"github.com/hotspan/hotspan/agent/internal/jitdump"
	"github.com/hotspan/hotspan/pprofx"
)

// Native is a function of a file that a process has mapped: of the executable, in which V8 has its builtins, or of a
// library.
type Native struct {
	File        uint64       // a number that no other file has
	Function    pprofx.Frame // its name, Kind, Module and BuildID; Address is that of its first instruction
	Start, Size uint64       // where it is in the memory of the process
}

// CountNative counts a sample at an address of the process in a function of a file. It copies the code of the function
// from the memory of the process, unless it has been copied.
func (p *Process) CountNative(f *Native, addr uint64, from io.ReaderAt, time uint64, tid uint32) {
	at := place{f.File, f.Function.Address}
	c := p.native[at]
	if c == nil && len(p.native) < maxKeys {
		c = p.addNative(f, from, time, tid)
		p.native[at] = c
	}
	p.count(c, addr-f.Start+f.Function.Address, nil)
}

// MissUnnamed counts a sample in code of a file that no symbol names.
func (p *Process) MissUnnamed() { p.Stats.Unnamed++ }

func (p *Process) addNative(f *Native, from io.ReaderAt, time uint64, tid uint32) *piece {
	c := &piece{
		dump: nativeCode, start: f.Function.Address, end: f.Function.Address + f.Size, function: f.Function,
		points: map[int]*point{},
	}
	if f.Size > min(maxCode, uint64(p.bytes)) {
		p.Stats.Large++
		return c
	}
	text := make([]byte, f.Size)
	if _, err := from.ReadAt(text, int64(f.Start)); err != nil {
		p.Stats.Unread++
		return c
	}
	p.load(c, &jitdump.Code{Time: time, TID: tid, Address: c.start, Name: f.Function.Function, Bytes: text})
	return c
}
