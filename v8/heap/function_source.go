package heap

import (
	"encoding/binary"

	"github.com/hotspan/hotspan/v8/layout"
)

// FunctionSpan is where the parameters of a function begin in the source of its script, and where the function ends, in
// UTF-16 units. ok is false where V8 does not keep it. uncompiled says whether an instance type is one of
// UncompiledData, which a function has that was not called yet. (src/objects/shared-function-info.h)
func (r *Reader) FunctionSpan(sfi Word, uncompiled func(typ int) bool) (start, end int, ok bool) {
	if start, end, ok = r.compiledText(sfi); ok {
		return start, end, ok
	}
	return r.uncompiledText(sfi, uncompiled)
}

// FunctionText is FunctionSpan from what the function begins with on, as Function.prototype.toString gives it.
func (r *Reader) FunctionText(sfi Word, uncompiled func(typ int) bool) (start, end int, ok bool) {
	start, end, ok = r.FunctionSpan(sfi, uncompiled)
	flags := r.l.At(layout.SFIFlags)
	if !ok || flags < 4 {
		return 0, 0, false
	}
	// Positions are those of the parameters. Before them stands, so many units away, what the function begins with.
	const outOfRange = 0xffff
	b, err := r.Bytes(sfi.address()+uint64(flags)-4, 2)
	if err != nil {
		return 0, 0, false
	}
	before := int(binary.LittleEndian.Uint16(b))
	start -= before
	return start, end, before != outOfRange && start >= 0 && end > start
}

func (r *Reader) compiledText(sfi Word) (start, end int, ok bool) {
	info, err := r.field(sfi, layout.SFINameOrScopeInfo)
	if err != nil || r.want(info, layout.TypeScopeInfo) != nil {
		return 0, 0, false
	}
	parts, err := r.scopeNames(info)
	if err != nil {
		return 0, 0, false
	}
	at := info.address() + uint64(parts.start)
	first, err1 := r.WordAt(at)
	last, err2 := r.WordAt(at + 8)
	return first.Smi(), last.Smi(), err1 == nil && err2 == nil && first.IsSmi() && last.IsSmi()
}

// uncompiledText reads UncompiledData: map, inferred name, start and end as 32-bit numbers.
func (r *Reader) uncompiledText(sfi Word, uncompiled func(typ int) bool) (start, end int, ok bool) {
	data, err := r.field(sfi, layout.SFITrustedData)
	if err != nil {
		return 0, 0, false
	}
	if typ, err := r.Type(data); err != nil || !uncompiled(typ) {
		return 0, 0, false
	}
	b, err := r.Bytes(data.address()+16, 8)
	if err != nil {
		return 0, 0, false
	}
	return int(int32(binary.LittleEndian.Uint32(b))), int(int32(binary.LittleEndian.Uint32(b[4:]))), true
}
