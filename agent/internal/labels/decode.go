package labels

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

// Decode decodes the context of a sample. The labels are sorted by key, and samples share them: do not change them.
func (p *Process) Decode(s *sampler.Sample) ([]pprofx.Label, Flags) {
	p.flags, p.start = Flags{}, 0
	of := p.ownerOf(s)
	if p.flags.Helper = of == helperThread; p.flags.Helper {
		return nil, p.flags
	}
	labels := p.decodeReadings(s)
	if of == unknownThread && len(labels) > 0 {
		p.flags.Learning, p.start = true, 0
		return nil, p.flags
	}
	if s.Work != 0 {
		labels = p.jobLabels(s, labels)
	}
	return labels, p.flags
}

// RequestStart returns when the request of the sample that was decoded last began by the tracer's clock, in nanoseconds
// since 1970: see reqctx.RequestStart. 0 is not known.
func (p *Process) RequestStart() int64 { return p.start }

// decodeReadings decodes a context that may have been read twice: then only labels that both readings have count.
func (p *Process) decodeReadings(s *sampler.Sample) []pprofx.Label {
	if labels, ok := p.keptLabels(s.Context); ok { // only bytes that were read once are kept
		return labels
	}
	first, second, twice := s.Readings()
	if !twice {
		return p.decodeNew(first)
	}
	labels := p.decodeReading(first)
	if bytes.Equal(first, second) {
		return labels
	}
	p.flags.Unreadable = true
	start := p.start
	again := p.decodeReading(second)
	if p.start != start {
		p.start = 0
	}
	return slices.DeleteFunc(slices.Clone(labels), func(l pprofx.Label) bool { return !slices.Contains(again, l) })
}

func (p *Process) decodeReading(context []byte) []pprofx.Label {
	if labels, ok := p.keptLabels(context); ok {
		return labels
	}
	return p.decodeNew(context)
}

// keptLabels returns the labels of a context that was decoded before, or of none.
func (p *Process) keptLabels(context []byte) (labels []pprofx.Label, ok bool) {
	p.start = 0
	if len(context) == 0 {
		return nil, true
	}
	kept, ok := p.labelSets().get(context)
	if ok {
		p.flags.Present, p.start = p.flags.Present || kept.present, kept.start
	}
	return kept.labels, ok
}

func (p *Process) decodeNew(context []byte) []pprofx.Label {
	p.context.values = p.context.values[:0]
	for i := range p.context.sets {
		p.context.sets[i] = p.context.sets[i][:0]
	}
	err := sampler.ContextRecords(context, func(kind, label uint8, data []byte) { p.contextRecord(kind, label, data) })
	if err != nil {
		p.flags.Unreadable = true
	}
	bad := p.decoder.tree.Decode(p.context.values, !p.flags.Learning && !p.flags.Unreadable, &p.context.sets)
	labels := reqctx.Merge(&p.context.sets)
	p.decoder.BadValues += int64(bad)
	for _, l := range labels {
		p.decoder.match(l.Key)
	}
	out, start := p.decoder.convert(labels)
	p.start = start
	if bad == 0 && p.flags.complete() {
		p.labelSets().keep(string(context), labelSet{out, p.start, p.flags.Present})
	}
	return out
}

// convert returns labels as samples have them, and apart from them the start of the request.
func (d *Decoder) convert(labels []reqctx.Label) (out []pprofx.Label, start int64) {
	out = make([]pprofx.Label, 0, len(labels))
	for _, l := range labels {
		if l.Key == reqctx.RequestStart {
			start = l.Num
			continue
		}
		if l.Key != pprofx.ContextLabel || d.ContextIDs {
			out = append(out, pprofx.Label{Key: l.Key, Str: l.Str, Num: l.Num})
		}
	}
	return out, start
}

func (p *Process) contextRecord(kind, label uint8, data []byte) {
	if p.setFlag(kind) {
		return
	}
	v := reqctx.Value{Label: int(label)}
	switch kind {
	case bpf.ContextLearnResource, bpf.ContextLearnNames:
		return // the BPF program read the stores anyway, with more reads
	case bpf.ContextRecordOTel, bpf.ContextLocalNode, bpf.ContextLocalThread:
		p.publishedRecord(kind, label, data)
		return
	case bpf.ContextOneByte:
		v.Str = latin1(data)
	case bpf.ContextTwoByte:
		v.Str = twoByte(data)
	case bpf.ContextMoreOne:
		p.more(label, latin1(data))
		return
	case bpf.ContextMoreTwo:
		p.more(label, twoByte(data))
		return
	case bpf.ContextCut:
		p.flags.Cut = true
		if n := len(p.context.values); n > 0 && p.context.values[n-1].Label == int(label) {
			p.context.values[n-1].Truncated = true
		}
		return
	case bpf.ContextBytes:
		v.Bytes = slices.Clone(data)
	case bpf.ContextTime:
		if len(data) == 8 {
			v.Nanos = int64(binary.LittleEndian.Uint64(data))
		}
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
	case bpf.ContextLearnKept, bpf.ContextLearnPublisher:
		p.flags.Learning = true
		if len(data) == 16 {
			p.learnOfPool(kind, binary.LittleEndian.Uint64(data))
		}
		return
	default:
		p.flags.Learning = true // the Learner has answered
		return
	}
	p.context.values = append(p.context.values, v)
}

// setFlag notes what a record without data says; false if there is more in it.
func (p *Process) setFlag(kind uint8) bool {
	switch kind {
	case bpf.ContextPresent:
		p.flags.Present = true
	case bpf.ContextUnreadable:
		p.flags.Unreadable = true
	case bpf.ContextNoHooks:
		p.flags.NoHooks = true
	case bpf.ContextOverLimit:
		p.flags.OverLimit = true
	default:
		return false
	}
	return true
}

// more appends characters to the last value.
func (p *Process) more(label uint8, s string) {
	if n := len(p.context.values); n > 0 && p.context.values[n-1].Label == int(label) {
		p.context.values[n-1].Str += s
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
