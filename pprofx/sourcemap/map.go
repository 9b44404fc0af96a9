// Package sourcemap reads source maps (ECMA-426) and applies them to snapshots: what a generated script says of itself
// becomes what its author wrote. Maps come from the processes that are profiled, so every number in one is hostile.
package sourcemap

import (
	"errors"
	"slices"
	"sort"
)

// Limits of one map. One over them is refused with ErrTooLarge.
const (
	MaxBytes    = 64 << 20  // of JSON
	maxSegments = 1 << 23   // 20 bytes of memory each
	maxLines    = 1 << 22   // of the generated code
	maxEntries  = 1 << 20   // of sources and of names; commas in them count
	maxText     = 64 << 20  // bytes of all sources' paths
	maxSections = 1 << 12   // of an indexed map, nested ones included
	maxDepth    = 3         // of sections in sections
	maxNumber   = 1<<31 - 1 // of lines, columns and indices
)

// ErrTooLarge means that a map exceeds one of the limits.
var ErrTooLarge = errors.New("over the limit")

// Map is a decoded source map. It is not changed any more, and safe for concurrent use.
type Map struct {
	sources  []string
	names    []string
	lines    []int32 // index of the first segment of each generated line, and the number of segments
	segments []segment
}

// segment says where the generated code from its column on comes from. All numbers are 0-based.
type segment struct {
	column       int32 // generated, in UTF-16 units
	source       int32 // index; none: it comes from nowhere
	line, origin int32 // line and column in the source
	name         int32 // index; none: it has no name
}

// offset is a place in the generated code, 0-based.
type offset struct{ Line, Column int }

func (o offset) before(p offset) bool {
	return o.Line < p.Line || o.Line == p.Line && o.Column < p.Column
}

// A path or a name of more bytes is cut there: each frame that has it is written with it.
const (
	maxPath = 4096
	maxName = 1024
)

const none = -1

// Position is a place in a source.
type Position struct {
	File         string // a path, or a URL where the source is not a file
	Line, Column int    // 1-based, the column in UTF-16 units
}

// Size is the memory that the map takes, in bytes, roughly.
func (m *Map) Size() int {
	n := 20*len(m.segments) + 4*len(m.lines)
	for _, list := range [][]string{m.sources, m.names} {
		for _, s := range list {
			n += 16 + len(s)
		}
	}
	return n
}

// line is the segments of a generated line, by column.
func (m *Map) line(n int) []segment {
	if n < 1 || n >= len(m.lines) {
		return nil
	}
	return m.segments[m.lines[n-1]:m.lines[n]]
}

// At tells where the generated code at a line and column, both 1-based, comes from. False: the map does not say.
func (m *Map) At(line, column int) (Position, bool) {
	segments := m.line(line)
	i := sort.Search(len(segments), func(i int) bool { return int(segments[i].column) >= column-1 })
	if i == len(segments) || int(segments[i].column) != column-1 {
		i-- // no segment begins there: the last before it counts, of the same line
	}
	if i < 0 || segments[i].source == none || m.sources[segments[i].source] == "" {
		return Position{}, false
	}
	s := segments[i]
	return Position{m.sources[s.source], int(s.line) + 1, int(s.origin) + 1}, true
}

// NameAt is what the author called the identifier that begins at a line and column of the generated code, both 1-based.
// Empty: it is not another name, or the map does not say. A segment that begins elsewhere is about another token.
func (m *Map) NameAt(line, column int) string {
	segments := m.line(line)
	i := sort.Search(len(segments), func(i int) bool { return int(segments[i].column) >= column-1 })
	for ; i < len(segments) && int(segments[i].column) == column-1; i++ {
		if segments[i].name != none {
			return m.names[segments[i].name]
		}
	}
	return ""
}

// sortLines brings the segments of each line into the order of their columns, which most maps have.
func (m *Map) sortLines() {
	byColumn := func(a, b segment) int { return int(a.column) - int(b.column) }
	for n := 1; n < len(m.lines); n++ {
		if s := m.line(n); !slices.IsSortedFunc(s, byColumn) {
			slices.SortStableFunc(s, byColumn)
		}
	}
}
