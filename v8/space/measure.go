package space

import (
	"encoding/binary"

	"github.com/hotspan/hotspan/v8/heap"
	"github.com/hotspan/hotspan/v8/layout"
)

// measure tells the size of an object by its first bytes, of which there are measured. 0: it cannot be told.
type measure func(b []byte) uint64

const measured = 64

func u32(b []byte, at int) uint64 { return uint64(binary.LittleEndian.Uint32(b[at:])) }

func up(n, to uint64) uint64 { return (n + to - 1) &^ (to - 1) }

// smi is the number behind the hidden class; 0: it is none.
func smi(b []byte) uint64 {
	n := heap.Word(le(b[8:]))
	if !n.IsSmi() || n.Smi() < 0 {
		return 0
	}
	return uint64(n.Smi())
}

// counted is the measure of what has a number of things behind the hidden class, a Smi.
func counted(head, each uint64) measure {
	return func(b []byte) uint64 {
		if n := heap.Word(le(b[8:])); !n.IsSmi() || n.Smi() < 0 {
			return 0
		}
		return up(head+each*smi(b), word)
	}
}

// namedMeasures are the measures of classes that are no plain arrays, by the names that V8 gives their instance types.
func namedMeasures(l *layout.Layout) map[string]measure {
	descriptors := func(b []byte) uint64 { // (src/objects/descriptor-array.tq)
		return uint64(l.At(layout.DescriptorsHeader)) +
			uint64(l.At(layout.DescriptorsEntrySize))*uint64(binary.LittleEndian.Uint16(b[8:]))
	}
	slots := uint64(48) // (src/objects/feedback-vector.tq: raw_feedback_slots)
	if l.V8.Major == 11 || l.V8.Major == 12 {
		slots = 56
	}
	out := map[string]measure{
		"ByteArray": counted(16, 1), "TrustedByteArray": counted(16, 1),
		"BytecodeArray":   counted(uint64(l.At(layout.BytecodeArrayFirstByte)), 1),
		"DescriptorArray": descriptors, "StrongDescriptorArray": descriptors,
		// The hash of an object is above ten bits of the length.
		"PropertyArray": func(b []byte) uint64 { return 16 + word*(u32(b, 12)&0x3ff) },
		// (src/objects/shared-function-info.tq: lengths of bytes and of children)
		"PreparseData":  func(b []byte) uint64 { return up(16+u32(b, 8), word) + word*u32(b, 12) },
		"WeakArrayList": counted(24, word), "DependentCode": counted(24, word), // capacity, length
		"FeedbackVector": func(b []byte) uint64 { return slots + word*u32(b, 8) },
		// (src/objects/arguments.tq: length, context, arguments)
		"SloppyArgumentsElements": counted(32, word),
		"DoubleStringCache":       func(b []byte) uint64 { return 16 + 2*word*u32(b, 8) },
	}
	if l.V8.Major >= 12 { // until then they were FixedArrays (src/objects/fixed-array.h, literal-objects.h, contexts.h)
		out["ArrayList"] = counted(24, word)
		out["ObjectBoilerplateDescription"] = counted(32, word)
		out["ScriptContextTable"] = counted(32, word)
		out["RegExpMatchInfo"] = counted(40, word)
	}
	return out
}

// closuresHaveCounts is the first V8 of Node in which FeedbackMetadata has 16 bits for each function that is made.
var closuresHaveCounts = layout.Version{Major: 12, Minor: 5}

// metadata is the measure of FeedbackMetadata: the numbers of slots, of which six go in 32 bits, and of functions that
// are made. (src/objects/feedback-vector.h)
func metadata(v layout.Version) measure {
	each := uint64(0)
	if v.Compare(closuresHaveCounts) >= 0 {
		each = 2
	}
	return func(b []byte) uint64 { return up(16+4*((u32(b, 8)+5)/6)+each*u32(b, 12), word) }
}

// text is the measure of strings whose characters are in the object.
func text(l *layout.Layout, each uint64) measure {
	chars, length := uint64(l.At(layout.SeqStringChars)), l.At(layout.StringLength)
	return func(b []byte) uint64 { return up(chars+each*u32(b, length), word) }
}

// code is the measure of machine code. Instructions and what describes them are together: body_size, since V8 11.8; in
// V8 11.3 the Code object has both sizes, until V8 10 it is the same object. (src/objects/code.h,
// src/objects/instruction-stream.h)
func code(l *layout.Layout, r *heap.Reader) measure {
	body, size := uint64(l.At(layout.InstructionStreamBody)), l.At(layout.CodeInstructionSize)
	switch {
	case body == 32:
		return func(b []byte) uint64 { return up(body+u32(b, 24), 64) }
	case l.V8.Major == 11:
		return func(b []byte) uint64 {
			sizes, err := r.Bytes(le(b[8:])-1+uint64(size), 8)
			if err != nil {
				return 0
			}
			return up(body+u32(sizes, 0)+u32(sizes, 4), 64)
		}
	case l.V8.Major == 10:
		return func(b []byte) uint64 { return up(body+u32(b, size)+u32(b, size+4), 64) }
	}
	return func(b []byte) uint64 { return up(body+u32(b, size)+u32(b, size+4), 32) }
}
