package agent

import (
	"bytes"
	"encoding/binary"
	"math"
	"slices"
	"strconv"
	"unicode/utf16"

	"github.com/hotspan/hotspan/agent/internal/bpf"
	"github.com/hotspan/hotspan/agent/internal/sampler"
	reqctx "github.com/hotspan/hotspan/context"
	"github.com/hotspan/hotspan/pprofx"
	"github.com/hotspan/hotspan/v8/heap"
)

// maxLabelSets bounds the sets of labels that are kept; over it they start anew.
const maxLabelSets = 1 << 16

// learnt is what is known of the context of the sample at hand.
type learnt struct {
	values []reqctx.Value
	sets   reqctx.Sets
}

// join makes labels of the context that was read with a sample. Of one that was read twice what both readings have counts.
func (a *Agent) join(t *target, s *sampler.Sample) []pprofx.Label {
	first, second, twice := s.Readings()
	labels := a.joinReading(t, first)
	if !twice || bytes.Equal(first, second) {
		return labels
	}
	t.flags.unreadable = true
	again := a.joinReading(t, second)
	return slices.DeleteFunc(slices.Clone(labels), func(l pprofx.Label) bool { return !slices.Contains(again, l) })
}

func (a *Agent) joinReading(t *target, context []byte) []pprofx.Label {
	if len(context) == 0 {
		return nil
	}
	if labels, ok := a.setsOf(t)[string(context)]; ok {
		t.flags.present = true
		return labels
	}
	t.learnt.values = t.learnt.values[:0]
	t.learnt.sets = reqctx.Sets{}
	err := sampler.ContextRecords(context, func(kind, label uint8, data []byte) { a.contextRecord(t, kind, label, data) })
	if err != nil {
		t.flags.unreadable = true
	}
	bad := a.tree.Decode(t.learnt.values, !t.flags.learning && !t.flags.unreadable, &t.learnt.sets)
	labels := reqctx.Merge(&t.learnt.sets)
	a.stats.BadLabels += int64(bad)
	for _, l := range labels {
		a.matched[l.Key] = true
	}
	out := convertLabels(labels)
	if bad == 0 && t.flags.whole() {
		keepLabels(a.setsOf(t), string(context), out)
	}
	return out
}

// setsOf are the label sets that may be used again for a process: the bytes of what it publishes mean nothing in another.
func (a *Agent) setsOf(t *target) map[string][]pprofx.Label {
	if t.published.process != nil {
		return t.published.labelSets
	}
	return a.labelSets
}

func keepLabels(sets map[string][]pprofx.Label, context string, labels []pprofx.Label) {
	if len(sets) >= maxLabelSets {
		clear(sets)
	}
	sets[context] = labels
}

func convertLabels(labels []reqctx.Label) []pprofx.Label {
	out := make([]pprofx.Label, len(labels))
	for i, l := range labels {
		out[i] = pprofx.Label{Key: l.Key, Str: l.Str, Num: l.Num}
	}
	return out
}

func (a *Agent) contextRecord(t *target, kind, label uint8, data []byte) {
	v := reqctx.Value{Label: int(label)}
	switch kind {
	case bpf.ContextPresent:
		t.flags.present = true
		return
	case bpf.ContextLearnResource:
		return // its stores were read all the same, by more reads (read_slowly in resource.h)
	case bpf.ContextUnreadable:
		t.flags.unreadable = true
		return
	case bpf.ContextOverLimit:
		t.flags.overLimit = true
		return
	case bpf.ContextRecordOTel, bpf.ContextLocalNode, bpf.ContextLocalThread:
		a.publishedRecord(t, kind, label, data)
		return
	case bpf.ContextOneByte:
		v.Str = latin1(data)
	case bpf.ContextTwoByte:
		v.Str = twoByte(data)
	case bpf.ContextMoreOne:
		t.more(label, latin1(data))
		return
	case bpf.ContextMoreTwo:
		t.more(label, twoByte(data))
		return
	case bpf.ContextCut:
		t.flags.cut = true
		if n := len(t.learnt.values); n > 0 && t.learnt.values[n-1].Label == int(label) {
			t.learnt.values[n-1].Cut = true
		}
		return
	case bpf.ContextBytes:
		v.Bytes = slices.Clone(data)
	case bpf.ContextBoolean:
		v.Str = strconv.FormatBool(len(data) > 0 && data[0] == 1)
	case bpf.ContextSmi, bpf.ContextDouble:
		if len(data) != 8 {
			return
		}
		v.IsNum = true
		if bits := binary.LittleEndian.Uint64(data); kind == bpf.ContextSmi {
			v.Num = float64(int64(bits))
		} else {
			v.Num = math.Float64frombits(bits)
		}
	case bpf.ContextLearnKept:
		t.flags.learning = true
		if len(data) == 16 {
			a.learnKept(t, binary.LittleEndian.Uint64(data))
		}
		return
	default:
		t.flags.learning = true // teach has told the program
		return
	}
	t.learnt.values = append(t.learnt.values, v)
}

// more adds characters to the value that was read last.
func (t *target) more(label uint8, s string) {
	if n := len(t.learnt.values); n > 0 && t.learnt.values[n-1].Label == int(label) {
		t.learnt.values[n-1].Str += s
	}
}

func latin1(b []byte) string { return (&heap.Text{One: b}).String() }

func twoByte(b []byte) string {
	units := make([]uint16, len(b)/2)
	for i := range units {
		units[i] = binary.LittleEndian.Uint16(b[2*i:])
	}
	return string(utf16.Decode(units))
}

// unmatched are the rules of the user that never made a label.
func (a *Agent) unmatched() []Unmatched {
	seen := slices.Clone(a.seen)
	for _, t := range a.targets {
		seen = append(seen, t.pupil.seen()...)
	}
	slices.Sort(seen)
	seen = slices.Compact(seen)
	var out []Unmatched
	for _, r := range a.config.Rules {
		if !a.matched[r.Label] {
			out = append(out, Unmatched{Label: r.Label, Seen: seen})
		}
	}
	return out
}
