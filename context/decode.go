package context

import (
	"encoding/hex"
	"math"
	"slices"
	"strings"
)

// Value is what the BPF program read for one label of one sample: a number, an array of bytes, or a text. Booleans are
// the texts true and false.
type Value struct {
	Label     int // number in Tree.Labels
	Str       string
	Num       float64 // counts only if IsNum
	IsNum     bool
	Bytes     []byte // counts only for a TreeLabel with Bytes
	Nanos     int64  // counts only for a TreeLabel with Time, and if it is not 0: since 1970
	Truncated bool   // Str is only the beginning
}

// truncationMark ends a value that is longer than what was read of it.
const truncationMark = "…"

// Decode makes labels of the values of one sample and adds them to sets. Of several rules of one source for one label,
// the first that has a value counts. Values that are not what their label must be, such as ids that are no ids, are
// left out; bad is how many. An id of zeros is none. It sorts values by label.
//
// complete says that everything was read. If not, a label that is only the second choice is left out, and so is half of
// a trace id: the first choice, or the other half, may be what is missing, and then the sample would get a label that
// other samples of the same request do not have.
func (t *Tree) Decode(values []Value, complete bool, sets *LabelsBySource) (bad int) {
	slices.SortStableFunc(values, func(a, b Value) int { return a.Label - b.Label })
	high := ""
	for _, v := range values {
		if v.Label < 0 || v.Label >= len(t.Labels) {
			bad++
			continue
		}
		label := t.Labels[v.Label]
		if label.Label == packageLabels && label.Source == PublishedNode {
			bad += addPackageLabels(&sets[PublishedNode], v.Str)
			continue
		}
		if label.Label == traceHigh && label.Source == Datadog {
			high = v.Str
			continue
		}
		if !complete && t.isSecondChoice(v.Label) {
			continue
		}
		l, ok := v.decode(label)
		if !ok {
			bad++
			continue
		}
		if set := &sets[label.Source]; (l.Str != "" || l.IsNum) && !hasKey(*set, l.Key) {
			*set = append(*set, l)
		}
	}
	if !complete && high == "" {
		isHalf := func(l Label) bool { return l.Key == TraceID && len(l.Str) == 16 }
		sets[Datadog] = slices.DeleteFunc(sets[Datadog], isHalf)
	}
	before := len(sets[Datadog])
	sets[Datadog] = joinTraceID(sets[Datadog], high)
	return bad + before - len(sets[Datadog])
}

// isSecondChoice reports whether a label stands in for another one, or another rule for the same key goes before it.
func (t *Tree) isSecondChoice(label int) bool {
	l := t.Labels[label]
	return l.Unless != "" || slices.ContainsFunc(t.Labels, func(o TreeLabel) bool {
		first := o.Source == l.Source && o.Rank < l.Rank || o.Source == Rules && l.Source != Rules
		return o.Label == l.Label && first
	})
}

// joinTraceID puts the upper half in front of a trace id of 64 bits, zeros if it has none. What is no id then is left
// out.
func joinTraceID(labels []Label, high string) []Label {
	for i := range labels {
		if l := &labels[i]; l.Key == TraceID && len(l.Str) == 16 {
			l.Str = strings.Repeat("0", max(0, 16-len(high))) + high + l.Str
		}
	}
	return slices.DeleteFunc(labels, func(l Label) bool { return l.Key == TraceID && !isID(l.Str, 32) })
}

const nanosPerMilli = 1e6

// decode makes a label of one value. A trace id that is only half of one is checked once it is joined.
func (v *Value) decode(label TreeLabel) (Label, bool) {
	l := Label{Key: label.Label, Str: v.Str}
	switch {
	case label.Bytes:
		l.Str = hex.EncodeToString(v.Bytes)
		return l, isID(l.Str, 16) || l.Key == TraceID && (len(v.Bytes) == 8 || len(v.Bytes) == 16)
	case label.Time:
		l.Num, l.IsNum = v.Nanos, true
		if v.Nanos == 0 && v.IsNum && v.Num < math.MaxInt64/nanosPerMilli {
			l.Num = int64(math.Round(v.Num*1e3)) * (nanosPerMilli / 1e3)
		}
		return l, l.Num > 0
	case v.IsNum:
		l.SetNumber(v.Num)
	case v.Truncated:
		l.Str = strings.TrimSuffix(l.Str, "\uFFFD") + truncationMark
	}
	switch {
	case l.isNone():
		return Label{}, true
	case !l.valid():
		return l, false
	}
	if label.Source != Rules {
		l.useCurrentNames()
	}
	return l, true
}

// useCurrentNames renames labels of older semantic conventions. Of a target or URL it keeps the path.
func (l *Label) useCurrentNames() {
	switch l.Key {
	case oldMethod:
		l.Key = Method
	case oldTarget:
		l.Key = URLPath
		l.Str, _, _ = strings.Cut(l.Str, "?")
	case oldURL:
		l.Key = URLPath
		l.Str = pathOfURL(l.Str)
	}
}

// pathOfURL is the path of an absolute URL, or of a target, as it stands there: it is whatever a client has sent.
func pathOfURL(s string) string {
	if scheme, rest, ok := strings.Cut(s, "://"); ok && !strings.ContainsAny(scheme, "/?#") {
		s = rest[len(before(rest, "/?#")):]
	}
	return before(s, "?#")
}

// before is what s has before the first of some characters.
func before(s, chars string) string {
	if i := strings.IndexAny(s, chars); i >= 0 {
		return s[:i]
	}
	return s
}
