package context

import (
	"encoding/hex"
	"math"
	"net/url"
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
	Bytes []byte // of an array of bytes
	Cut   bool   // Str is only the beginning
}

// Label is a label of a sample. A whole number is in Num, any other value in Str.
type Label struct {
	Key   string
	Str   string
	Num   int64
	IsNum bool
}

// cutMark is the end of a value that is longer than what is read of it.
const cutMark = "…"

// Decode makes labels of what was read, by reader. Of several rules for one label the first that has a value counts. bad is the number of values that
// are not what their label must be: they are left out.
//
// whole says that all was read. Where something was not, a value that is only the second choice is left out, and so is
// half of an id: the first choice, or the other half, may be what is missing, and it would be another label. So requests of
// a route do not appear under their paths too.
func (t *Tree) Decode(values []Value, whole bool, sets *Sets) (bad int) {
	slices.SortStableFunc(values, func(a, b Value) int { return a.Label - b.Label })
	high := ""
	for _, v := range values {
		if v.Label >= len(t.Labels) {
			bad++
			continue
		}
		source := t.Labels[v.Label]
		if source.Label == traceHigh && source.Reader == Datadog {
			high = v.Str
			continue
		}
		if !whole && t.secondChoice(v.Label) {
			continue
		}
		l, ok := v.label(source)
		if !ok {
			bad++
			continue
		}
		if set := &sets[source.Reader]; (l.Str != "" || l.IsNum) && !hasKey(*set, l.Key) {
			*set = append(*set, l)
		}
	}
	if !whole && high == "" {
		sets[Datadog] = slices.DeleteFunc(sets[Datadog], func(l Label) bool { return l.Key == TraceID && len(l.Str) == 16 })
	}
	before := len(sets[Datadog])
	sets[Datadog] = joinTraceID(sets[Datadog], high)
	return bad + before - len(sets[Datadog])
}

// secondChoice reports whether the label takes the place of another one, or another rule for it goes before this one.
func (t *Tree) secondChoice(label int) bool {
	s := t.Labels[label]
	return s.Unless != "" || slices.ContainsFunc(t.Labels, func(o Source) bool {
		return o.Label == s.Label && (o.Reader == s.Reader && o.Rank < s.Rank || o.Reader == Rules && s.Reader != Rules)
	})
}

// joinTraceID completes a trace id of 64 bits. One that is no id then is left out.
func joinTraceID(labels []Label, high string) []Label {
	for i := range labels {
		if l := &labels[i]; l.Key == TraceID && len(l.Str) == 16 {
			l.Str = strings.Repeat("0", max(0, 16-len(high))) + high + l.Str
		}
	}
	return slices.DeleteFunc(labels, func(l Label) bool { return l.Key == TraceID && !isID(l.Str, 32) })
}

// label makes a label of one value. An id that is joined of two is checked later.
func (v *Value) label(source Source) (Label, bool) {
	l := Label{Key: source.Label, Str: v.Str}
	switch {
	case source.Bytes:
		l.Str = hex.EncodeToString(v.Bytes)
		// What a trace id is joined with is not known yet.
		return l, isID(l.Str, 16) || l.Key == TraceID && (len(v.Bytes) == 8 || len(v.Bytes) == 16)
	case v.IsNum:
		l.setNumber(v.Num)
	case v.Cut:
		l.Str = strings.TrimSuffix(l.Str, "\uFFFD") + cutMark
	}
	if !l.valid() {
		return l, false
	}
	if source.Reader != Rules {
		l.modernise()
	}
	return l, true
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
	case SpanID, RootSpan:
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
	case oldURL:
		l.Key = URLPath
		if u, err := url.Parse(l.Str); err == nil {
			l.Str = u.EscapedPath()
		}
	}
}
