package functions

import (
	"errors"
	"path/filepath"
	"strings"
	"unicode/utf16"

	"github.com/hotspan/hotspan/v8/functions/naming"
	"github.com/hotspan/hotspan/v8/heap"
)

// sourceMap asks for the number of a script's source map. 0: it names none; then Maps is told of the script if it has a
// file.
func (v *Resolver) sourceMap(s *heap.Script, w heap.Word) (int32, error) {
	if v.Maps == nil {
		return 0, nil
	}
	u, err := v.r.MapURL(w, MaxMapURL)
	if errors.Is(err, heap.ErrTooLong) { // nor is its script read
		return v.Maps(MappedScript{Script: s, TooLong: true}), nil
	}
	if err != nil {
		return 0, err
	}
	if u != nil && u.Len() == 0 {
		u = nil
	}
	if u == nil && !filepath.IsAbs(s.Name) {
		return 0, nil
	}
	source, err := v.r.Source(s)
	if err != nil {
		source = nil
	}
	return v.Maps(MappedScript{Script: s, URL: u, Source: source}), nil
}

// Limits of what is read of a script around the start of a function, in UTF-16 units.
const (
	namingWindow = 256
	classWindow  = 1 << 16 // from the constructor back to the class
)

// identifier finds the identifier that a function has its name of, or of one without a name of its own its parameter
// list. Zeros: it has none, or it cannot be told for sure.
func (v *Resolver) identifier(s *script, f *heap.Function, name string) (line, column int) {
	nameless := strings.ContainsAny(name, ".(") // V8 makes names up, such as object.property
	if f.Name == "" && !nameless || f.Start < 0 {
		return 0, 0
	}
	for _, window := range []int{namingWindow, classWindow} {
		from := max(0, f.Start-window)
		t, err := v.r.SourcePart(f.Script, from, f.Start-from+namingWindow)
		if err != nil || t.Len() < f.Start-from {
			return 0, 0
		}
		at, more := naming.Identifier(t.Units(), f.Start-from, utf16.Encode([]rune(f.Name)))
		if nameless && naming.Nameless(t.Units(), f.Start-from) {
			at = f.Start - from
		}
		if at >= 0 {
			if line, column, err = v.position(s, from+at); err == nil {
				return line, column
			}
		}
		if !more || from == 0 {
			break
		}
	}
	return 0, 0
}
