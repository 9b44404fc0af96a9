package context

import (
	"slices"
	"unicode/utf8"
)

// packageLabels is the property in which the npm package hotspan has all labels of a context, where Node.js keeps
// stores so that thread context records cannot be found. (nodeaddon/lib/text.js)
const packageLabels = "hotspan labels"

// packageRule reads that property. It is no label itself: Decode makes labels of it.
func packageRule() Rule {
	return Rule{Label: packageLabels, Source: PublishedNode, Path: properties(packageLabels)}
}

// addPackageLabels adds the labels that a text has, each character of which is a byte: for each label the length of its
// key, the key, the length of its value, and the value, both UTF-8. The set may have labels of a record: these count,
// and go without ids of the text. bad is how many labels are none; a text that was cut ends with the last whole label.
func addPackageLabels(set *[]Label, text string) (bad int) {
	var b []byte
	for _, c := range text {
		b = append(b, byte(c))
	}
	hasIDs := hasKey(*set, TraceID) || hasKey(*set, SpanID)
	before := slices.Clone(*set)
	for len(b) > 0 {
		var key, value string
		var ok bool
		if key, b, ok = cutText(b); ok {
			value, b, ok = cutText(b)
		}
		if !ok {
			return bad + 1
		}
		l := Label{Key: key, Str: value}
		isID := key == TraceID || key == SpanID
		switch {
		case key == "" || !utf8.ValidString(key) || !l.valid() || len(*set) >= MaxPublishedLabels:
			bad++
		case value == "" || hasKey(before, key) || isID && hasIDs:
		default: // of two with the same key the last counts
			*set = append(slices.DeleteFunc(*set, func(o Label) bool { return o.Key == key }), l)
		}
	}
	return bad
}

// cutText cuts a text off that begins with its length.
func cutText(b []byte) (string, []byte, bool) {
	if len(b) == 0 || len(b) < 1+int(b[0]) {
		return "", nil, false
	}
	n := 1 + int(b[0])
	return string(b[1:n]), b[n:], true
}
