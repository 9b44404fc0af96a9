package otlp

import (
	"strings"

	commonpb "go.opentelemetry.io/proto/otlp/common/v1"
	profilespb "go.opentelemetry.io/proto/otlp/profiles/v1development"
)

// dictionary fills the seven tables that all profiles of a message share. Element 0 of each is the zero value, and each
// value is in its table once (profiles.proto, ProfilesDictionary), which the maps find.
type dictionary struct {
	tables    *profilespb.ProfilesDictionary
	strings   map[string]int32
	attrs     map[attr]int32
	functions map[function]int32
	mappings  map[mapping]int32
	locations map[string]int32 // by content, see location.key
	stacks    map[string]int32 // by location indices
	links     map[link]int32
}

// attr is an attribute: a string, or a number with a unit.
type attr struct {
	key, str, unit string
	num            int64
	number         bool
}

// function and mapping are made of indices into the string and attribute tables.
type (
	function struct{ name, file int32 }
	mapping  struct{ file, buildID int32 }
	link     struct {
		trace [16]byte
		span  [8]byte
	}
)

// newDictionary makes a dictionary with room for what so many frames and stacks need.
func newDictionary(frames, stacks int) *dictionary {
	d := &dictionary{
		tables: &profilespb.ProfilesDictionary{
			StringTable:    []string{""},
			AttributeTable: []*profilespb.KeyValueAndUnit{{}},
			FunctionTable:  []*profilespb.Function{{}},
			MappingTable:   []*profilespb.Mapping{{}},
			LocationTable:  []*profilespb.Location{{}},
			StackTable:     []*profilespb.Stack{{}},
			LinkTable:      []*profilespb.Link{{}},
		},
		strings:   make(map[string]int32, frames),
		attrs:     map[attr]int32{},
		functions: make(map[function]int32, frames),
		mappings:  map[mapping]int32{{}: 0},
		locations: make(map[string]int32, frames),
		stacks:    make(map[string]int32, stacks),
		links:     map[link]int32{{}: 0},
	}
	d.strings[""], d.functions[function{}], d.stacks[""] = 0, 0, 0
	return d
}

// valid returns s as valid UTF-8, which protobuf demands: receivers refuse a whole message for one bad byte.
func valid(s string) string { return strings.ToValidUTF8(s, "\uFFFD") }

// add appends an element to a table and returns its index.
func add[T any](table *[]T, element T) int32 {
	*table = append(*table, element)
	return int32(len(*table) - 1)
}

func (d *dictionary) str(s string) int32 {
	if i, ok := d.strings[s]; ok {
		return i
	}
	s = valid(s)
	if i, ok := d.strings[s]; ok {
		return i
	}
	i := add(&d.tables.StringTable, s)
	d.strings[s] = i
	return i
}

func (d *dictionary) attr(a attr) int32 {
	if i, ok := d.attrs[a]; ok {
		return i
	}
	a.key, a.str, a.unit = valid(a.key), valid(a.str), valid(a.unit)
	if i, ok := d.attrs[a]; ok {
		return i
	}
	value := text(a.str)
	if a.number {
		value = number(a.num)
	}
	i := add(&d.tables.AttributeTable, &profilespb.KeyValueAndUnit{
		KeyStrindex: d.str(a.key), Value: value, UnitStrindex: d.str(a.unit),
	})
	d.attrs[a] = i
	return i
}

func text(s string) *commonpb.AnyValue {
	return &commonpb.AnyValue{Value: &commonpb.AnyValue_StringValue{StringValue: s}}
}

func number(n int64) *commonpb.AnyValue {
	return &commonpb.AnyValue{Value: &commonpb.AnyValue_IntValue{IntValue: n}}
}

func (d *dictionary) function(f function) int32 {
	if i, ok := d.functions[f]; ok {
		return i
	}
	i := add(&d.tables.FunctionTable, &profilespb.Function{NameStrindex: f.name, FilenameStrindex: f.file})
	d.functions[f] = i
	return i
}

// mapping leaves start and limit at 0: the addresses of frames are those of the file's symbols, not of a process.
func (d *dictionary) mapping(m mapping) int32 {
	if i, ok := d.mappings[m]; ok {
		return i
	}
	to := &profilespb.Mapping{FilenameStrindex: m.file}
	if m.buildID != 0 {
		to.AttributeIndices = []int32{m.buildID}
	}
	i := add(&d.tables.MappingTable, to)
	d.mappings[m] = i
	return i
}

func (d *dictionary) link(l link) int32 {
	if i, ok := d.links[l]; ok {
		return i
	}
	i := add(&d.tables.LinkTable, &profilespb.Link{TraceId: l.trace[:], SpanId: l.span[:]})
	d.links[l] = i
	return i
}
