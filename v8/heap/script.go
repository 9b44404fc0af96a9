package heap

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"slices"
	"sort"

	"github.com/hotspan/hotspan/v8/layout"
)

// Limits of what is read of one script.
const (
	maxSource = 64 << 20 // UTF-16 units
	maxLines  = 1 << 20
	maxURL    = 4096
)

// Script is where functions come from: a file, or the text of an eval.
type Script struct {
	ID                       int
	Name                     string // file name or URL; the sourceURL, else "eval", where it has no name
	Length                   int    // of its source, in UTF-16 units; 0 = not known
	LineOffset, ColumnOffset int    // what V8 adds to lines, and to columns of the first line; 0-based
	// EvalFrom is the SharedFunctionInfo of the function that evaluated a script without a name; 0 for none. It did so
	// at the offset EvalAt of its source, or where that is negative, at the offset -EvalAt of its bytecode.
	EvalFrom Word
	EvalAt   int
	object   Word
	source   Word
	ends     []int32 // offset of each line terminator
	read     bool
	endless  bool // it has more lines than are kept, or is too long: ends has none
}

// Script reads a Script object. (src/objects/script.h) Its strings may be young, and have moved to a page that was read
// before the script: so nothing counts that was.
func (r *Reader) Script(w Word) (*Script, error) {
	r.Forget()
	if err := r.want(w, layout.TypeScript); err != nil {
		return nil, err
	}
	s := &Script{object: w}
	for _, f := range []struct {
		field layout.Field
		to    *int
	}{{layout.ScriptID, &s.ID}, {layout.ScriptLineOffset, &s.LineOffset},
		{layout.ScriptColumnOffset, &s.ColumnOffset}} {
		v, err := r.field(w, f.field)
		if err != nil {
			return nil, err
		}
		if !v.IsSmi() {
			return nil, fmt.Errorf("%v of script 0x%x is not a Smi", f.field, uint64(w))
		}
		*f.to = v.Smi()
	}
	var err error
	if s.source, err = r.field(w, layout.ScriptSource); err != nil {
		return nil, err
	}
	s.Length, _ = r.StringUnits(s.source)
	if s.Name, err = r.ScriptName(w); err != nil {
		return nil, err
	}
	if s.Name == "" {
		s.Name = "eval"
		r.evaluated(s, w)
	}
	return s, nil
}

// ScriptName is the name of a script or else its sourceURL; "" where it has none.
func (r *Reader) ScriptName(w Word) (string, error) {
	for _, f := range []layout.Field{layout.ScriptName, layout.ScriptSourceURL} {
		name, err := r.field(w, f)
		if err != nil || r.want(name, layout.TypeOddball) == nil || !name.IsObject() {
			continue
		}
		s, err := r.cut(name, maxURL)
		if err == nil {
			err = r.refers(w, f, name)
		}
		if err != nil || s != "" {
			return s, err
		}
	}
	return "", nil
}

func (r *Reader) evaluated(s *Script, w Word) {
	from, err1 := r.field(w, layout.ScriptEvalFrom)
	at, err2 := r.field(w, layout.ScriptEvalPosition)
	if err1 == nil && err2 == nil && at.IsSmi() && r.want(from, layout.TypeSharedFunctionInfo) == nil {
		s.EvalFrom, s.EvalAt = from, at.Smi()
	}
}

// EvalFromHolds checks that a script still says that it was evaluated by s.EvalFrom, once that was read: a collection
// may have moved it meanwhile.
func (r *Reader) EvalFromHolds(s *Script) error {
	return r.refers(s.object, layout.ScriptEvalFrom, s.EvalFrom)
}

// HasLines reports whether the script's text has been read: Position reads nothing any more.
func (s *Script) HasLines() bool { return s.read }

// ForgetLines has the script's text read again for the next Position.
func (s *Script) ForgetLines() { s.read, s.ends, s.endless = false, nil, false }

// Size is how many bytes its lines take.
func (s *Script) Size() int { return 4 * len(s.ends) }

// Position gives the line and column, both 1-based, of an offset in the script's source.
func (r *Reader) Position(s *Script, offset int) (line, column int, err error) {
	if !s.read {
		if _, err := r.Source(s); err != nil {
			return 0, 0, err
		}
	}
	if s.endless {
		return 0, 0, fmt.Errorf("script %d %s has more than %d lines, or %d characters", s.ID, s.Name, maxLines,
			maxSource)
	}
	line = sort.Search(len(s.ends), func(i int) bool { return int(s.ends[i]) >= offset })
	column = offset
	if line > 0 {
		column -= int(s.ends[line-1]) + 1
	} else {
		column += s.ColumnOffset
	}
	return line + s.LineOffset + 1, column + 1, nil
}

// Source reads the script's text, which is not kept.
func (r *Reader) Source(s *Script) (*Text, error) {
	t, err := r.sourceOf(s)
	if err != nil {
		r.Forget()
		t, err = r.sourceOf(s)
	}
	if err != nil {
		return nil, fmt.Errorf("source of script %d %s: %w", s.ID, s.Name, err)
	}
	if !s.read {
		s.setLines(t)
	}
	return t, nil
}

func (s *Script) setLines(t *Text) {
	s.read, s.ends = true, lineEnds(t)
	if len(s.ends) >= maxLines || t.Len() >= maxSource {
		s.ends, s.endless = nil, true
	}
}

func (r *Reader) sourceOf(s *Script) (*Text, error) {
	if err := r.renew(s); err != nil {
		return nil, err
	}
	t, err := r.pieces(piece{w: s.source, length: maxSource}, maxSourcePieces)
	if err == nil {
		err = r.refers(s.object, layout.ScriptSource, s.source)
	}
	return t, err
}

// SameLines reports whether a Script that was read later has its lines where one that was read before has them, as far
// as Position has been asked for these.
func (r *Reader) SameLines(before, now *Script) bool {
	if !before.read {
		return true
	}
	if !now.read {
		if _, err := r.Source(now); err != nil {
			return false
		}
	}
	return slices.Equal(before.ends, now.ends)
}

// renew looks where the text is by now: that of evaluated code is young at first, and a collection moves it. What is at
// the old address may be any other text then. It fails where the script itself is elsewhere.
func (r *Reader) renew(s *Script) error {
	if err := r.want(s.object, layout.TypeScript); err != nil {
		return err
	}
	id, err := r.field(s.object, layout.ScriptID)
	if err != nil {
		return err
	}
	if !id.IsSmi() || id.Smi() != s.ID {
		return ErrNotFound
	}
	s.source, err = r.field(s.object, layout.ScriptSource)
	return err
}

// SourcePart reads up to n UTF-16 units of a Script's text from an offset on.
func (r *Reader) SourcePart(script Word, from, n int) (*Text, error) {
	if err := r.want(script, layout.TypeScript); err != nil {
		return nil, err
	}
	source, err := r.field(script, layout.ScriptSource)
	if err != nil {
		return nil, err
	}
	t, err := r.pieces(piece{w: source, skip: from, length: n}, maxSourcePieces)
	if err == nil {
		err = r.refers(script, layout.ScriptSource, source)
	}
	return t, err
}

// LineText reads the line of an offset in the script's source. Of one that is longer than most UTF-16 units it reads so
// many around the offset.
func (r *Reader) LineText(s *Script, offset, most int) (string, error) {
	if !s.read {
		if _, err := r.Source(s); err != nil {
			return "", err
		}
	}
	if err := r.renew(s); err != nil {
		return "", fmt.Errorf("script %d %s: %w", s.ID, s.Name, err)
	}
	from, to := 0, offset+most
	i := sort.Search(len(s.ends), func(i int) bool { return int(s.ends[i]) >= offset })
	if i > 0 {
		from = int(s.ends[i-1]) + 1
	}
	if i < len(s.ends) {
		to = int(s.ends[i])
	}
	if to-from > most {
		from = max(from, offset-most/2)
	}
	t, err := r.SourcePart(s.object, from, min(to-from, most))
	if err != nil {
		return "", err
	}
	return t.String(), nil
}

// ErrTooLong says that a text is longer than the limit.
var ErrTooLong = errors.New("too long")

// MapURL reads where a Script says, in a comment, that its source map is. Nil: it says nothing. More than limit UTF-16
// units are ErrTooLong.
func (r *Reader) MapURL(script Word, limit int) (*Text, error) {
	if !r.l.Has(layout.ScriptSourceMappingURL) {
		return nil, nil
	}
	w, err := r.field(script, layout.ScriptSourceMappingURL)
	if err != nil {
		return nil, err
	}
	t, err := r.textOrNone(w, limit)
	if moved := r.refers(script, layout.ScriptSourceMappingURL, w); moved != nil {
		return nil, moved
	}
	return t, err
}

// textOrNone reads a string; nil where w is none.
func (r *Reader) textOrNone(w Word, limit int) (*Text, error) {
	typ, err := r.Type(w)
	if err != nil || typ >= r.l.At(layout.FirstNonStringType) {
		return nil, err
	}
	if n, err := r.StringUnits(w); err != nil || n > limit {
		return nil, cmp.Or(err, ErrTooLong)
	}
	return r.pieces(piece{w: w, length: limit}, maxSourcePieces)
}

// lineEnds finds the line terminators of ECMA-262: LF, CR, CR LF (one, at its LF), U+2028, U+2029.
// It finds maxLines at most.
func lineEnds(t *Text) []int32 {
	switch {
	case t.Two != nil:
		return terminators(t.Two)
	case bytes.IndexByte(t.One, '\r') < 0:
		return lineFeeds(t.One)
	}
	return terminators(t.One)
}

func terminators[T byte | uint16](text []T) (ends []int32) {
	for i, c := range text {
		separator := uint16(c)&^1 == 0x2028 // or U+2029
		if c > '\r' && !separator {
			continue
		}
		switch {
		case len(ends) == maxLines:
			return ends
		case c == '\n', separator,
			c == '\r' && (i+1 == len(text) || text[i+1] != '\n'):
			ends = append(ends, int32(i))
		}
	}
	return ends
}

// lineFeeds is lineEnds for what most scripts are. Bundles and inline source maps make scripts of many megabytes, and
// samples wait while they are read.
func lineFeeds(b []byte) []int32 {
	var ends []int32
	for at := 0; ; at++ {
		i := bytes.IndexByte(b[at:], '\n')
		if i < 0 || len(ends) == maxLines {
			return ends
		}
		at += i
		ends = append(ends, int32(at))
	}
}
