package otlp

import (
	"strings"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/pprofile"
)

// dictionary fills the seven tables that all profiles of a message share. Element 0 of each is the zero value, and each
// value is in its table once (profiles.proto, ProfilesDictionary). The maps find values in constant time; pdata's own
// Set functions search the tables from end to end.
type dictionary struct {
	tables    pprofile.ProfilesDictionary
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
		trace pcommon.TraceID
		span  pcommon.SpanID
	}
)

// newDictionary makes a dictionary with room for what so many frames and stacks need.
func newDictionary(tables pprofile.ProfilesDictionary, frames, stacks int) *dictionary {
	tables.StringTable().Append("")
	tables.AttributeTable().AppendEmpty()
	tables.FunctionTable().AppendEmpty()
	tables.MappingTable().AppendEmpty()
	tables.LocationTable().AppendEmpty()
	tables.StackTable().AppendEmpty()
	tables.LinkTable().AppendEmpty()
	d := &dictionary{
		tables:    tables,
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

func (d *dictionary) str(s string) int32 {
	if i, ok := d.strings[s]; ok {
		return i
	}
	s = valid(s)
	if i, ok := d.strings[s]; ok {
		return i
	}
	i := int32(d.tables.StringTable().Len())
	d.tables.StringTable().Append(s)
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
	i := int32(d.tables.AttributeTable().Len())
	d.fill(d.tables.AttributeTable().AppendEmpty(), a)
	d.attrs[a] = i
	return i
}

func (d *dictionary) fill(to pprofile.KeyValueAndUnit, a attr) {
	to.SetKeyStrindex(d.str(a.key))
	to.SetUnitStrindex(d.str(a.unit))
	if a.number {
		to.Value().SetInt(a.num)
		return
	}
	to.Value().SetStr(a.str)
}

func (d *dictionary) function(f function) int32 {
	if i, ok := d.functions[f]; ok {
		return i
	}
	i := int32(d.tables.FunctionTable().Len())
	to := d.tables.FunctionTable().AppendEmpty()
	to.SetNameStrindex(f.name)
	to.SetFilenameStrindex(f.file)
	d.functions[f] = i
	return i
}

// mapping leaves start and limit at 0: the addresses of frames are those of the file's symbols, not of a process.
func (d *dictionary) mapping(m mapping) int32 {
	if i, ok := d.mappings[m]; ok {
		return i
	}
	i := int32(d.tables.MappingTable().Len())
	to := d.tables.MappingTable().AppendEmpty()
	to.SetFilenameStrindex(m.file)
	if m.buildID != 0 {
		to.AttributeIndices().Append(m.buildID)
	}
	d.mappings[m] = i
	return i
}

func (d *dictionary) link(l link) int32 {
	if i, ok := d.links[l]; ok {
		return i
	}
	i := int32(d.tables.LinkTable().Len())
	to := d.tables.LinkTable().AppendEmpty()
	to.SetTraceID(l.trace)
	to.SetSpanID(l.span)
	d.links[l] = i
	return i
}
