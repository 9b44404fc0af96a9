package otlp

import (
	"encoding/binary"

	profilespb "go.opentelemetry.io/proto/otlp/profiles/v1development"
)

// location returns the index of l in the location table.
func (e *encoder) location(l location) int32 {
	e.locationKey = l.key(e.locationKey[:0])
	if i, ok := e.dict.locations[string(e.locationKey)]; ok {
		return i
	}
	i := add(&e.dict.tables.LocationTable, e.encode(l))
	e.dict.locations[string(e.locationKey)] = i
	return i
}

// key appends l's content to b, such that different locations have different keys.
func (l location) key(b []byte) []byte {
	b = binary.AppendUvarint(b, l.code.address)
	for _, i := range [...]int32{l.code.mapping, l.code.frameType, l.code.kind, int32(l.code.tier)} {
		b = binary.AppendUvarint(b, uint64(i))
	}
	for _, n := range l.lines {
		b = binary.AppendUvarint(b, uint64(n.function))
		b = binary.AppendUvarint(b, uint64(n.row))
		b = binary.AppendUvarint(b, uint64(n.column))
	}
	return b
}

func (e *encoder) encode(l location) *profilespb.Location {
	to := &profilespb.Location{MappingIndex: l.code.mapping, Address: l.code.address}
	tier := e.optional("hotspan.frame.tier", l.code.tier.String())
	for _, i := range [...]int32{l.code.frameType, l.code.kind, tier} {
		if i != 0 {
			to.AttributeIndices = append(to.AttributeIndices, i)
		}
	}
	if len(l.lines) == 1 && l.lines[0] == (line{}) {
		return to // an address without a name has no line, as in messages of OpenTelemetry's profiler
	}
	for _, n := range l.lines {
		to.Lines = append(to.Lines, &profilespb.Line{FunctionIndex: n.function, Line: n.row, Column: n.column})
	}
	return to
}
