package jitcode

import (
	"bufio"
	"encoding/json"
	"maps"
	"slices"

	"github.com/hotspan/hotspan/pprofx"
)

// Piece is a piece of code, as a line of the file of samples has it.
type Piece struct {
	Code     int     `json:"code"` // its index in the jitdump
	Function string  `json:"function"`
	File     string  `json:"file,omitempty"`
	Kind     string  `json:"kind"`           // as JSON lines have it
	Tier     string  `json:"tier,omitempty"` //
	Address  uint64  `json:"address"`
	Size     int     `json:"size"`
	Samples  int64   `json:"samples"`        // at the instructions of Points
	Lost     int64   `json:"lost,omitempty"` // of instructions beyond those that are kept
	Points   []Point `json:"points"`         // by Offset
	Texts    []Text  `json:"texts,omitempty"`
}

// Text is a line of the source that a piece was made of, or a part of a long one.
type Text struct {
	File string `json:"file"`
	Line int    `json:"line"`
	Text string `json:"text"`
}

// Point is an instruction with samples.
type Point struct {
	Offset  int     `json:"offset"` // in the code
	Samples int64   `json:"samples"`
	Frames  []Frame `json:"frames,omitempty"` // what is inlined there, innermost first, and the function itself
}

// Frame is a function, and the place in it.
type Frame struct {
	Function string `json:"function"`
	File     string `json:"file,omitempty"`
	Line     int    `json:"line,omitempty"`
	Column   int    `json:"column,omitempty"`
}

func (f *files) writeSamples() error {
	return write(f.path(samplesFile), func(w *bufio.Writer) error {
		to := json.NewEncoder(w)
		to.SetEscapeHTML(false)
		for _, c := range f.pieces {
			if err := to.Encode(c.piece()); err != nil {
				return err
			}
		}
		return nil
	})
}

func (c *piece) piece() *Piece {
	out := &Piece{
		Code: c.index, Function: c.function.Function, File: c.function.File, Kind: c.function.Kind.String(),
		Tier: c.function.Tier.String(), Address: c.start, Size: int(c.end - c.start), Lost: c.lost, Points: []Point{},
		Texts: c.texts,
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
