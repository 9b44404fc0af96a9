package context

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Value is what was read for one label of one sample.
type Value struct {
	Label int
	Str   string
	Num   float64
	IsNum bool
}

// Label is a label of a sample. A whole number is in Num, any other value in Str.
type Label struct {
	Key   string
	Str   string
	Num   int64
	IsNum bool
}

// Decode makes labels of what was read, sorted by key: the first value of a label counts. bad is the number of values
// that are not what their label must be: they are left out.
func (t *Tree) Decode(values []Value) (labels []Label, bad int) {
	for _, v := range values {
		if v.Label >= len(t.Labels) {
			bad++
			continue
		}
		l := Label{Key: t.Labels[v.Label], Str: v.Str}
		if v.IsNum {
			l.setNumber(v.Num)
		}
		if !l.valid() {
			bad++
			continue
		}
		if l.Str == "" && !l.IsNum {
			continue // an empty string says nothing
		}
		l.modernise()
		if !slices.ContainsFunc(labels, func(o Label) bool { return o.Key == l.Key }) {
			labels = append(labels, l)
		}
	}
	slices.SortFunc(labels, func(a, b Label) int { return strings.Compare(a.Key, b.Key) })
	return routed(labels), bad
}

func (l *Label) setNumber(n float64) {
	if n == math.Trunc(n) && math.Abs(n) < 1<<53 {
		l.Num, l.IsNum = int64(n), true
		return
	}
	l.Str = strconv.FormatFloat(n, 'g', -1, 64)
}

// valid reports whether ids are hexadecimal, of their length and not all zero (W3C Trace Context, 3.2.2).
func (l *Label) valid() bool {
	switch l.Key {
	case TraceID:
		return isID(l.Str, 32)
	case SpanID:
		return isID(l.Str, 16)
	}
	return l.IsNum || utf8.ValidString(l.Str)
}

func isID(s string, n int) bool {
	if len(s) != n || strings.Trim(s, "0") == "" {
		return false
	}
	for _, c := range []byte(s) {
		if (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return false
		}
	}
	return true
}

// modernise gives values of older semantic conventions their present names.
func (l *Label) modernise() {
	switch l.Key {
	case oldMethod:
		l.Key = Method
	case oldTarget:
		l.Key = URLPath
		l.Str, _, _ = strings.Cut(l.Str, "?")
	}
}

// routed leaves out method and path where the route is known: it says what they say and has few values.
func routed(labels []Label) []Label {
	if !slices.ContainsFunc(labels, func(l Label) bool { return l.Key == Route }) {
		return labels
	}
	return slices.DeleteFunc(labels, func(l Label) bool { return l.Key == Method || l.Key == URLPath })
}
