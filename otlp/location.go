package otlp

import (
	"encoding/binary"

	"go.opentelemetry.io/collector/pdata/pprofile"
)

// location returns the index of l in the location table.
func (e *encoder) location(l location) int32 {
	e.locationKey = l.key(e.locationKey[:0])
	if i, ok := e.dict.locations[string(e.locationKey)]; ok {
		return i
	}
	i := int32(e.dict.tables.LocationTable().Len())
	e.fill(e.dict.tables.LocationTable().AppendEmpty(), l)
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

func (e *encoder) fill(to pprofile.Location, l location) {
	to.SetMappingIndex(l.code.mapping)
	to.SetAddress(l.code.address)
	tier := e.optional("hotspan.frame.tier", l.code.tier.String())
	for _, i := range [...]int32{l.code.frameType, l.code.kind, tier} {
		if i != 0 {
			to.AttributeIndices().Append(i)
		}
	}
	to.Lines().EnsureCapacity(len(l.lines))
	for _, n := range l.lines {
		line := to.Lines().AppendEmpty()
		line.SetFunctionIndex(n.function)
		line.SetLine(n.row)
		line.SetColumn(n.column)
	}
}
