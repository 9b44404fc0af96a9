package unwind

import (
	"debug/elf"

	"github.com/hotspan/hotspan/agent/internal/flow"
)

const (
	// maxFollowed bounds the code of a file that is followed, in bytes. musl has 450 KB.
	maxFollowed = 1 << 20
	// maxSegments bounds the segments that it is in: symbols are read for each. musl has one.
	maxSegments = 16
	// maxEntryGap bounds that around the entry point of a file whose other code has rules. It is a few hundred bytes.
	maxEntryGap = 64 << 10
)

// followCode returns rules for code of a file that .eh_frame does not describe, by rising address. Of a file that has
// rules for most of its code it is what begins at the entry point, which no function has called. musl is built without
// .eh_frame: of such a file it is all code that can be found.
func followCode(f *elf.File, text []flow.Span, described []function) []flow.Rule {
	var size, has uint64
	for _, s := range text {
		size += s.End - s.Start
	}
	for _, d := range described {
		has += uint64(d.size)
	}
	if size > maxFollowed || len(text) > maxSegments || has > size/2 {
		gap, ok := gapAround(f.Entry, text, described)
		if !ok || gap.End-gap.Start > maxEntryGap {
			return nil
		}
		return flow.FollowEntry(f, gap)
	}
	others := make([]flow.Span, len(described))
	for i, d := range described {
		others[i] = d.span()
	}
	var rules []flow.Rule
	for _, s := range text {
		rules = append(rules, flow.Follow(f, s, others)...)
	}
	return rules
}

// gapAround returns the code around an address that has no rules.
func gapAround(at uint64, text []flow.Span, described []function) (gap flow.Span, ok bool) {
	for _, s := range text {
		if at < s.Start || at >= s.End {
			continue
		}
		gap = s
		for _, d := range described {
			switch other := d.span(); {
			case other.End <= at:
				gap.Start = max(gap.Start, other.End)
			case other.Start <= at:
				return gap, false
			default:
				gap.End = min(gap.End, other.Start)
			}
		}
		return gap, true
	}
	return gap, false
}

// keptAs are the registers whose places a flow.State has, by their indexes in keptRegisters.
var keptAs = [numKept]int{flow.RBX, flow.R12, flow.R13}

// stateOf is a state of code as that of a call frame program.
func stateOf(s flow.State) state {
	out := state{ra: place{how: atCFA, off: -sizeofAddress}, reg: uint64(RSP), off: int64(s.SP)}
	switch {
	case s.Restorer:
		return state{signal: true, kept: [numKept]place{{how: elsewhere}, {how: elsewhere}, {how: elsewhere}}}
	case s.First:
		out.ra.how = undefined
	case s.SP == flow.Unknown:
		out.reg, out.off = regRBP, int64(s.BP)
	}
	out.rbp = placeOf(s.Kept[flow.RBP])
	for i, register := range keptAs {
		out.kept[i] = placeOf(s.Kept[register])
	}
	return out
}

func placeOf(kept int32) place {
	switch kept {
	case flow.InRegister:
		return place{}
	case flow.Unknown:
		return place{how: elsewhere}
	}
	return place{how: atCFA, off: -int64(kept)}
}
