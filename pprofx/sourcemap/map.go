// Package sourcemap reads source maps (ECMA-426) and applies them to snapshots: positions and names of generated
// scripts become those of the original sources.
//
// Maps come from the profiled processes, so their content is untrusted: every number is checked, and a map that exceeds
// a limit is an error that wraps ErrTooLarge. The package opens no file and fetches nothing.
package sourcemap

import (
	"errors"
	"sort"
)

// Limits of one map. Parse returns ErrTooLarge for a map that exceeds one.
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

// Map is a decoded source map. It is immutable and safe for concurrent use.
type Map struct {
	sources  []string
	names    []string
	lines    []int32 // index of the first segment of each generated line, and the number of segments
	segments []segment
	heads    map[place]int32 // what functions are called that begin there: names, as in a segment
}

// segment maps the generated code from its column on to a source. All numbers are 0-based.
type segment struct {
	column       int32 // generated, in UTF-16 code units
	source       int32 // index; none if the code has no source
	line, origin int32 // line and column in the source
	name         int32 // index; none if there is no name; below none if it is the source's: see sourceNames
}

// place is where a segment leads to.
type place struct{ source, line, origin int32 }

// offset is a position in the generated code, 0-based.
type offset struct{ Line, Column int }

func (o offset) before(p offset) bool {
	return o.Line < p.Line || o.Line == p.Line && o.Column < p.Column
}

// Longer paths and names are truncated to this many bytes, because every frame repeats them.
const (
	maxPath = 4096
	maxName = 1024
)

const none = -1

// Position is a position in an original source.
type Position struct {
	File         string // a path, or a URL if the source is not a file
	Line, Column int    // 1-based; the column in UTF-16 code units
}

// Size returns roughly how much memory the map takes, in bytes.
func (m *Map) Size() int {
	n := 20*len(m.segments) + 4*len(m.lines) + 40*len(m.heads)
	for _, list := range [][]string{m.sources, m.names} {
		for _, s := range list {
			n += 16 + len(s)
		}
	}
	return n
}

// line returns the segments of a generated line, ordered by column.
func (m *Map) line(n int) []segment {
	if n < 1 || n >= len(m.lines) {
		return nil
	}
	return m.segments[m.lines[n-1]:m.lines[n]]
}

// At returns the original position of the generated code at a line and column, both 1-based; false if the map has none.
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

// NameAt returns the original name of the identifier that begins at a line and column of the generated code, both
// 1-based. It is empty if the name is the same or the map has none: only a segment that begins there counts, since any
// other one belongs to another token.
func (m *Map) NameAt(line, column int) string {
	return m.nameAt(line, column, true)
}

// nameAt returns the first name of the segments that begin at a line and column: the map's own, or one of a source's.
func (m *Map) nameAt(line, column int, own bool) string {
	for _, s := range m.beginAt(line, column) {
		if n := s.name; n != none && n > none == own {
			return m.names[max(n, 2*none-n)]
		}
	}
	return ""
}

// beginAt returns the segments that begin at a line and column.
func (m *Map) beginAt(line, column int) []segment {
	segments := m.line(line)
	first := sort.Search(len(segments), func(i int) bool { return int(segments[i].column) >= column-1 })
	end := first
	for end < len(segments) && int(segments[end].column) == column-1 {
		end++
	}
	return segments[first:end]
}

// sortLines sorts the segments of each line by column. In most maps they are sorted already.
func (m *Map) sortLines() {
	for n := 1; n < len(m.lines); n++ {
		s := m.line(n)
		less := func(i, j int) bool { return s[i].column < s[j].column }
		if !sort.SliceIsSorted(s, less) {
			sort.SliceStable(s, less)
		}
	}
}
