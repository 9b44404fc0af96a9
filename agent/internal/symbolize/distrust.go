package symbolize

import (
	"github.com/hotspan/hotspan/v8/functions"
	"github.com/hotspan/hotspan/v8/verify"
)

// unverified stands for a JavaScript function whose name could not be verified.
const unverified = "[unverified function]"

// trust is a frame without what cannot be relied on.
func (c *frameCache) trust(f *functions.Frame, off verify.Parts) *functions.Frame {
	if off&(verify.Names|verify.Lines) == 0 || f.Kind != functions.JS {
		return f
	}
	if t := c.trusted[f]; t != nil {
		return t
	}
	t := *f
	t.Line, t.Column, t.Map, t.NameLine, t.NameColumn = 0, 0, 0, 0, 0
	if t.Lost != functions.LostFunction { // else it has no name either, and is counted as such
		t.Lost = functions.LostOffset
	}
	if off&verify.Names != 0 {
		t = functions.Frame{Name: unverified, Kind: functions.JS, Tier: f.Tier, Lost: functions.LostFunction}
	}
	c.trusted[f] = &t
	return &t
}
