package functions

import (
	"unicode/utf8"

	"github.com/hotspan/hotspan/v8/stack"
)

// maxPattern bounds the characters of a regular expression that its frame shows.
const maxPattern = 120

var regexpFrames = []*Frame{{Name: "[regexp]", Kind: Regexp}}

// regexp is the frame of a regular expression's code, with its pattern where that is known. It is learnt once for each
// code, from the object that the code was called with.
func (v *Resolver) regexp(c *code, raw stack.RawFrame) []*Frame {
	if c.frames != nil {
		return c.frames
	}
	source, err := v.r.RegexpSource(raw.Argument, c.Code, maxPattern+1)
	if err != nil {
		v.basis.passing = true
		return regexpFrames
	}
	if utf8.RuneCountInString(source) > maxPattern {
		source = string([]rune(source)[:maxPattern]) + "…"
	}
	c.frames = []*Frame{{Name: "[regexp " + source + "]", Kind: Regexp}}
	return c.frames
}
