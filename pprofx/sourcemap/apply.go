package sourcemap

import (
	"encoding/binary"
	"slices"
	"strings"

	"github.com/hotspan/hotspan/pprofx"
)

// Script is a generated script with its map.
type Script struct {
	Map *Map // nil if it could not be read: generated positions stay
	// LineOffset and ColumnOffset are what V8 adds to lines, and to columns of the first line. The map counts from the
	// start of the script itself. Where an offset is below 0, the script begins with so much that was put in front of
	// it as it was loaded, and the map counts from behind that.
	LineOffset, ColumnOffset int
}

// Apply returns a snapshot in which the frames of generated code have original positions and names. s stays as it is,
// and is the result if no frame has a map; it must pass its Check. scripts is keyed by Frame.Map. A position without a
// source in its map stays, and so do those of scripts that are missing or have no Map. In the result, frames and stacks
// that have become equal are merged.
func Apply(s *pprofx.Snapshot, scripts map[int32]Script) *pprofx.Snapshot {
	if !slices.ContainsFunc(s.Frames, isMapped) {
		return s
	}
	out := *s
	var frames []int32
	out.Frames, frames = mapFrames(s.Frames, scripts)
	var stacks []int32
	out.Stacks, stacks = mapStacks(s.Stacks, frames)
	if len(out.Stacks) < len(s.Stacks) {
		out.Rows = slices.Clone(s.Rows)
		for i := range out.Rows {
			out.Rows[i].Stack = stacks[out.Rows[i].Stack]
		}
	}
	return &out
}

func isMapped(f *pprofx.Frame) bool { return f.Map != 0 }

// mapFrames returns the frames of the new snapshot, and the new index of each old one.
func mapFrames(old []*pprofx.Frame, scripts map[int32]Script) (frames []*pprofx.Frame, index []int32) {
	known := map[pprofx.Frame]int32{}
	for _, f := range old {
		if f.Map != 0 {
			f = scripts[f.Map].frame(f)
		}
		i, ok := known[*f]
		if !ok {
			i = int32(len(frames))
			known[*f] = i
			frames = append(frames, f)
		}
		index = append(index, i)
	}
	return frames, index
}

// mapStacks does the same for stacks.
func mapStacks(old [][]int32, frames []int32) (stacks [][]int32, index []int32) {
	known := map[string]int32{}
	var key []byte
	for _, s := range old {
		key = key[:0]
		mapped := make([]int32, len(s))
		for i, f := range s {
			mapped[i] = frames[f]
			key = binary.LittleEndian.AppendUint32(key, uint32(frames[f]))
		}
		n, ok := known[string(key)]
		if !ok {
			n = int32(len(stacks))
			known[string(key)] = n
			stacks = append(stacks, mapped)
		}
		index = append(index, n)
	}
	return stacks, index
}

// keyword is what terser says is the name of a method "async m(…) {…}" that it makes "m: async …" of. A function that
// is really called so and has a short name keeps that.
const keyword = "async"

// shortName is the length up to which a name is taken for a minifier's, so that the text of the source is asked for it.
// A longer one is the function's own, and right even with a map that is not.
const shortName = 2

// name returns the original name of a function. Empty: it is the same, or not known.
func (s Script) name(function string, line, column int) string {
	if strings.ContainsAny(function, ".(") { // without a name, or V8 made one up of what is around the function
		return s.Map.headOf(line, column)
	}
	name := s.Map.NameAt(line, column)
	if name == "" && len(strings.TrimPrefix(function, "#")) <= shortName {
		name = s.Map.declaredAt(line, column)
	}
	if name == keyword {
		return ""
	}
	return name
}

// frame returns f with its original position and name.
func (s Script) frame(f *pprofx.Frame) *pprofx.Frame {
	out := *f
	out.Map, out.NameLine, out.NameColumn = 0, 0, 0
	if s.Map == nil {
		return &out
	}
	nameLine, nameColumn := s.own(f.NameLine, f.NameColumn)
	if name := s.name(f.Function, nameLine, nameColumn); name != "" {
		out.Function = name
	}
	if f.Line == 0 { // the point of execution is unknown, but the function is known
		if p, ok := s.Map.At(nameLine, nameColumn); ok {
			out.File = p.File
		}
		return &out
	}
	if p, ok := s.Map.At(s.own(f.Line, f.Column)); ok {
		out.File, out.Line, out.Column = p.File, p.Line, p.Column
	}
	return &out
}

// own converts a position that V8 reports into one that the map has.
func (s Script) own(line, column int) (int, int) {
	if line == s.LineOffset+1 {
		column -= max(s.ColumnOffset, 0)
	}
	return line - max(s.LineOffset, 0), column
}
