package otlp

import (
	"encoding/hex"
	"fmt"
	"math"
	"slices"
	"strings"

	commonpb "go.opentelemetry.io/proto/otlp/common/v1"
	profilespb "go.opentelemetry.io/proto/otlp/profiles/v1development"

	"github.com/hotspan/hotspan/pprofx"
)

// decoder turns the tables of a message into those of a snapshot, each element when a sample first refers to it.
type decoder struct {
	tables   *profilespb.ProfilesDictionary
	out      *pprofx.Snapshot
	profiles int
	frames   int // of all stacks

	stacks    map[int32]int32   // by index in the message
	locations map[int32][]int32 // frames, by index in the message
	byFrame   map[pprofx.Frame]int32
	labels    map[string]int32
	threads   map[string]int32
}

func newDecoder(tables *profilespb.ProfilesDictionary) *decoder {
	if tables == nil {
		tables = &profilespb.ProfilesDictionary{}
	}
	return &decoder{
		tables: tables,
		out: &pprofx.Snapshot{
			Processes: map[int]pprofx.Process{}, Lost: map[pprofx.LostReason]int64{},
			LabelSets: [][]pprofx.Label{nil}, Threads: []string{""},
		},
		stacks:    map[int32]int32{},
		locations: map[int32][]int32{},
		byFrame:   map[pprofx.Frame]int32{},
		labels:    map[string]int32{"": 0},
		threads:   map[string]int32{"": 0},
	}
}

// at returns an element of a table. An absent table has the zero value as element 0.
func at[T any](table []*T, i int32, name string) (*T, error) {
	if i == 0 && len(table) == 0 {
		return new(T), nil
	}
	if i < 0 || int(i) >= len(table) || table[i] == nil {
		return nil, fmt.Errorf("%s %d of %d", name, i, len(table))
	}
	return table[i], nil
}

func (d *decoder) str(i int32) (string, error) {
	if i == 0 && len(d.tables.StringTable) == 0 {
		return "", nil
	}
	if i < 0 || int(i) >= len(d.tables.StringTable) {
		return "", fmt.Errorf("string %d of %d", i, len(d.tables.StringTable))
	}
	return d.tables.StringTable[i], nil
}

func (d *decoder) attr(i int32) (a attr, err error) {
	kv, err := at(d.tables.AttributeTable, i, "attribute")
	if err != nil {
		return a, err
	}
	if a.key, err = d.str(kv.KeyStrindex); err != nil {
		return a, err
	}
	if a.unit, err = d.str(kv.UnitStrindex); err != nil {
		return a, err
	}
	switch v := kv.Value.GetValue().(type) {
	case *commonpb.AnyValue_StringValue:
		a.str = v.StringValue
	case *commonpb.AnyValue_StringValueStrindex:
		a.str, err = d.str(v.StringValueStrindex)
	case *commonpb.AnyValue_IntValue:
		a.num, a.number = v.IntValue, true
	default:
		err = fmt.Errorf("attribute %s: neither a string nor a number", a.key)
	}
	return a, err
}

// lost reads the attributes of a profile.
func (d *decoder) lost(indices []int32) error {
	for _, i := range indices {
		a, err := d.attr(i)
		if err != nil {
			return err
		}
		name, ok := strings.CutPrefix(a.key, lostKey)
		if !ok {
			continue
		}
		reason := pprofx.LostUnknown // where a newer hotspan has more reasons
		_ = reason.UnmarshalText([]byte(name))
		d.out.Lost[reason] += a.num
	}
	return nil
}

// own reads an attribute that is no label; false if it is one.
func (d *decoder) own(row *pprofx.Row, a attr) bool {
	switch a.key {
	case "thread.name":
		row.Thread = d.thread(a.str)
	case "thread.id":
		row.TID = int32(a.num)
	case "cpu.logical_number":
		row.CPU = uint16(a.num)
	case "hotspan.vm_state":
		_ = row.State.UnmarshalText([]byte(a.str)) // one that a newer hotspan has is "other" here
	case "hotspan.stop":
		row.Stop = pprofx.StopUnknown
		_ = row.Stop.UnmarshalText([]byte(a.str))
	case loopTurn:
		row.Turn = uint32(a.num)
	case hitsKey:
		row.Others = others(a.num)
	case requestStart:
		row.Start = a.num
	default:
		return false
	}
	return true
}

// others returns pprofx.Row.Others of a number of hits; of one that is none what Check refuses.
func others(hits int64) int32 { return int32(min(max(hits, -1), math.MaxInt32) - 1) }

func (d *decoder) thread(name string) int32 {
	i, ok := d.threads[name]
	if !ok {
		i = add(&d.out.Threads, name)
		d.threads[name] = i
	}
	return i
}

func label(a attr) pprofx.Label {
	return pprofx.Label{Key: strings.TrimPrefix(a.key, contextLabel), Str: a.str, Num: a.num, Unit: a.unit}
}

// labelsOf returns the ids of a link; none of the empty one.
func labelsOf(l *profilespb.Link) []pprofx.Label {
	if len(l.TraceId) == 0 && len(l.SpanId) == 0 {
		return nil
	}
	return []pprofx.Label{
		{Key: "span_id", Str: hex.EncodeToString(l.SpanId)}, {Key: "trace_id", Str: hex.EncodeToString(l.TraceId)},
	}
}

func (d *decoder) labelSet(labels []pprofx.Label) int32 {
	slices.SortStableFunc(labels, func(a, b pprofx.Label) int { return strings.Compare(a.Key, b.Key) })
	var key strings.Builder
	for _, l := range labels {
		fmt.Fprintf(&key, "%q %q %d %q ", l.Key, l.Str, l.Num, l.Unit)
	}
	i, ok := d.labels[key.String()]
	if !ok {
		i = add(&d.out.LabelSets, labels)
		d.labels[key.String()] = i
	}
	return i
}

// processOf reads the attributes of a resource.
func processOf(attributes []*commonpb.KeyValue) (pid int32, p pprofx.Process) {
	for _, a := range attributes {
		s, n := a.Value.GetStringValue(), a.Value.GetIntValue()
		switch a.Key {
		case "process.pid":
			pid = int32(n)
		case "service.name":
			p.Service = s
		case "container.id":
			p.Container = s
		case "process.executable.path":
			p.Executable = s
		case "process.executable.name": // follows from the path
		default:
			p.Attributes = append(p.Attributes, pprofx.Label{Key: a.Key, Str: s, Num: n})
		}
	}
	return pid, p
}
