package jitcode

import (
	"maps"
	"slices"

	"github.com/hotspan/hotspan/pprofx"
)

// piece is a piece of code.
type piece struct {
	index      int // in the dumps of the process, from 1; 0: it is in none
	dump       int // which one it is in
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

// same reports whether two pieces at one place are one: it was found again after it had been forgotten.
func (c *piece) same(other *piece) bool {
	a, b := &c.function, &other.function
	return c.end == other.end && c.hash == other.hash && a.Function == b.Function && a.File == b.File &&
		a.Kind == b.Kind && a.Tier == b.Tier
}

// own is the frames of a stack that are in one piece of code, innermost first: those that are inlined, and the next.
func own(frames []*pprofx.Frame) []*pprofx.Frame {
	for i, f := range frames {
		if !f.Inlined {
			return append([]*pprofx.Frame(nil), frames[:i+1]...)
		}
	}
	return nil
}

func (c *piece) piece() *Piece {
	out := &Piece{
		Code: c.index, Function: c.function.Function, File: c.function.File, Kind: c.function.Kind.String(),
		Tier: c.function.Tier.String(), Module: c.function.Module, BuildID: c.function.BuildID, Address: c.start,
		Size: int(c.end - c.start), Lost: c.lost, Points: []Point{}, Texts: c.texts,
	}
	for _, offset := range slices.Sorted(maps.Keys(c.points)) {
		at := c.points[offset]
		out.Samples += at.samples
		out.Points = append(out.Points, Point{offset, at.samples, frames(at.frames)})
	}
	return out
}

func frames(of []*pprofx.Frame) (out []Frame) {
	for _, f := range of {
		out = append(out, Frame{f.Function, f.File, f.Line, f.Column})
	}
	return out
}

// lastPieces are the pieces that no later one overlaps, by address.
func lastPieces(pieces []*piece) (out []*piece) {
	for _, c := range slices.Backward(pieces) {
		i, _ := slices.BinarySearchFunc(out, c.start, func(o *piece, start uint64) int {
			if o.end <= start {
				return -1
			}
			return 1
		})
		if i == len(out) || out[i].start >= c.end {
			out = slices.Insert(out, i, c)
		}
	}
	return out
}
