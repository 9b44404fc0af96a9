package otlp

import (
	"encoding/binary"
	"encoding/hex"
	"strings"

	"github.com/hotspan/hotspan/pprofx"
)

func (e *encoder) labelSet(i int32) *labelSet {
	if e.labels[i] == nil {
		e.labels[i] = e.addLabels(e.snapshot.LabelSets[i])
	}
	return e.labels[i]
}

func (e *encoder) addLabels(labels []pprofx.Label) *labelSet {
	set := &labelSet{}
	span, linked := spanOf(labels)
	if linked {
		set.link = e.dict.link(span)
	}
	taken := map[string]bool{}
	for _, l := range labels {
		if linked && (l.Key == "trace_id" || l.Key == "span_id") {
			continue
		}
		set.attrs = append(set.attrs, e.label(l, taken))
	}
	set.list = e.list(set.attrs)
	return set
}

func (e *encoder) label(l pprofx.Label, taken map[string]bool) int32 {
	key := attributeKey(l.Key)
	for taken[key] {
		key = contextLabel + key
	}
	taken[key] = true
	if l.Str != "" {
		return e.dict.attr(attr{key: key, str: l.Str})
	}
	return e.dict.attr(attr{key: key, num: l.Num, number: true, unit: l.Unit})
}

func (e *encoder) list(attrs []int32) int32 {
	var key []byte
	for _, a := range attrs {
		key = binary.LittleEndian.AppendUint32(key, uint32(a))
	}
	n, ok := e.lists[string(key)]
	if !ok {
		n = int32(len(e.lists))
		e.lists[string(key)] = n
	}
	return n
}

// hitsKey is the key of pprofx.Row.Hits, if that is not 1.
const hitsKey = "hotspan.hits"

// loopTurn is the key of pprofx.Row.Turn.
const loopTurn = "hotspan.loop_turn"

// requestStart is the key of pprofx.Row.Start.
const requestStart = "hotspan.request_start"

// contextLabel is what OpenTelemetry's eBPF profiler puts before the keys of an application's labels.
const contextLabel = "process.context.label."

// attributeKey returns the attribute key of a label. A key with a dot, such as http.route, has a namespace and stays,
// unless it is a namespace whose keys this package sets itself. Other keys get the prefix under which receivers expect
// an application's own labels. IDs that form no link (see spanOf) and pprofx.LeftOutLabel keep the names they have in
// pprof.
func attributeKey(key string) string {
	key = valid(key)
	switch key {
	case "trace_id", "span_id", pprofx.LeftOutLabel, pprofx.ProbeLabel, pprofx.CPULabel:
		return key
	}
	for _, own := range [...]string{"thread.", "cpu.", "hotspan."} {
		if strings.HasPrefix(key, own) {
			return contextLabel + key
		}
	}
	if strings.Contains(key, ".") {
		return key
	}
	return contextLabel + key
}

// spanOf returns the span of a label set if both IDs are well-formed: hexadecimal, of full length, not zero. A partial
// ID would link to the wrong span or to none.
func spanOf(labels []pprofx.Label) (l link, ok bool) {
	var trace, span bool
	for _, label := range labels {
		switch label.Key {
		case "trace_id":
			trace = id(l.trace[:], label.Str)
		case "span_id":
			span = id(l.span[:], label.Str)
		}
	}
	return l, trace && span && l.trace != link{}.trace && l.span != link{}.span
}

func id(to []byte, s string) bool {
	if len(s) != hex.EncodedLen(len(to)) {
		return false
	}
	_, err := hex.Decode(to, []byte(s))
	return err == nil
}
