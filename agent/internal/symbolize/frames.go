package symbolize

import (
	"fmt"

	"github.com/hotspan/hotspan/pprofx"
	"github.com/hotspan/hotspan/v8/functions"
)

// maxFrames bounds the cached frames of one process; beyond it the cache is cleared.
const maxFrames = 1 << 18

// frameCache caches the named frames of a process, so that a known stack is named without allocation.
type frameCache struct {
	js      map[*functions.Frame]*pprofx.Frame
	trusted map[*functions.Frame]*functions.Frame
	skipped map[uint16]*pprofx.Frame // by number of frames
	stack   []*pprofx.Frame          // of the sample at hand
}

func newFrameCache() frameCache {
	return frameCache{
		js: map[*functions.Frame]*pprofx.Frame{}, trusted: map[*functions.Frame]*functions.Frame{},
		skipped: map[uint16]*pprofx.Frame{},
	}
}

var (
	faultFrame   = &pprofx.Frame{Function: "[page fault]", Kind: pprofx.Marker}
	gapFrame     = &pprofx.Frame{Function: "[native frames not walked]", Kind: pprofx.Marker}
	emptyFrame   = &pprofx.Frame{Function: "[no user stack]", Kind: pprofx.Marker}
	deepFrame    = &pprofx.Frame{Function: "[deeper frames not walked]", Kind: pprofx.Marker}
	lateFrame    = &pprofx.Frame{Function: "[mappings not read]", Kind: pprofx.Marker}
	kernelModule = "[kernel]"
)

// skippedFrame stands for the frames in the middle of a stack that is too deep to be kept whole.
func (c *frameCache) skippedFrame(n uint16) *pprofx.Frame {
	f := c.skipped[n]
	if f == nil {
		f = &pprofx.Frame{Function: fmt.Sprintf("[… %d frames]", n), Kind: pprofx.Marker}
		c.skipped[n] = f
	}
	return f
}

var kinds = [...]pprofx.Kind{
	functions.JS: pprofx.JS, functions.Builtin: pprofx.Builtin, functions.Regexp: pprofx.Regexp,
	functions.Wasm: pprofx.Wasm,
	functions.JIT:  pprofx.JIT,
}

var tiers = [...]pprofx.Tier{
	functions.NoTier: pprofx.NoTier, functions.Ignition: pprofx.Ignition, functions.Sparkplug: pprofx.Sparkplug,
	functions.Maglev: pprofx.Maglev, functions.TurboFan: pprofx.TurboFan,
}

func (c *frameCache) convert(f *functions.Frame) *pprofx.Frame {
	if p := c.js[f]; p != nil {
		return p
	}
	p := &pprofx.Frame{
		Function: f.Name, File: f.File, Line: f.Line, Column: f.Column,
		Kind: kinds[f.Kind], Tier: tiers[f.Tier], Inlined: f.Inlined,
		Map: f.Map, NameLine: f.NameLine, NameColumn: f.NameColumn,
	}
	c.js[f] = p
	return p
}
