package stack

import (
	"github.com/hotspan/hotspan/v8/heap"
	"github.com/hotspan/hotspan/v8/layout"
)

// stepV8 goes up from a frame of V8's.
func (s *walk) stepV8() {
	var v [numSlots]uint64
	if s.v8SP == 0 {
		s.v8SP = s.at.SP
	}
	end := uint64(0)
	if s.at.BP <= s.at.SP {
		end = s.readDeoptimized(&v)
	}
	f := s.push(FrameFunction)
	if end == 0 {
		end = s.at.BP + 16
		if s.at.BP&7 != 0 || end <= s.at.SP || !s.words(v[:], s.at.BP-8*slotBP) {
			s.Stop = StopUnreadable
			return
		}
	}
	if !tagged(v[slotContext]) || !tagged(v[slotFunction]) {
		f.Kind, f.SFI, f.Marker = FrameTyped, heap.Word(v[slotContext]), marker(v[slotContext])
		f.Instance = heap.Word(v[slotFunction])
		f.Argument = heap.Word(v[slotArguments+max(s.Layout.At(layout.RegExpArgument)-16, 0)/8&3])
		s.typed, s.builtin = true, s.at.PC
	} else {
		s.Context = heap.Word(v[slotContext])
		if end == s.at.BP+16 && s.at.SP <= s.at.BP-8*(slotBP-slotCount) {
			s.pointers[s.last] = s.at.BP
		}
		f.Bytecode = heap.Word(v[slotBytecode])
		if o := heap.Word(v[slotOffset]); o.IsSmi() {
			f.Offset = o.Smi()
		}
		s.identify(heap.Word(v[slotFunction]), &f.RawFrame)
	}
	s.ascend(Position{PC: v[slotPC], SP: end, BP: v[slotBP]})
}

// probeAbove moves to the word above a return address that is no code. Builtins that go from an interpreted frame to
// its baseline code push the accumulator before they set up a frame in which C++ looks up where to. The return address
// of the OSR builtin is above it, and the accumulator, any word, is of no use any more; the others were not called, and
// work on the frame of the function that they continue with. (src/builtins/x64/builtins-x64.cc,
// Generate_BaselineOrInterpreterEntry)
func (s *walk) probeAbove() bool {
	var above [1]uint64
	var slots [2]uint64
	if !s.words(above[:], s.at.SP) || !s.words(slots[:], s.at.BP-16) || !tagged(slots[0]) || !tagged(slots[1]) {
		return false
	}
	s.probing, s.value, s.at.PC = true, s.at.PC, above[0]
	return true
}

// acceptAbove takes the word above for the return address if it is in V8's code, or continues with the builtin if a
// value of V8's is below it.
func (s *walk) acceptAbove(v8 bool) bool {
	switch {
	case v8:
		s.at.SP += 8
		return true
	case heap.Word(s.value).IsSmi() || tagged(s.value):
		s.at.PC = s.builtin
		return true
	}
	s.at.PC = s.value
	return false
}

// inWasm reports whether the frame is marked as WebAssembly's: its code is in mappings of its own, which come with each
// module and may not be known yet.
func (s *walk) inWasm() bool {
	var word [1]uint64
	m := s.Layout.At(layout.WasmFrameMarker)
	bp := s.at.BP
	return m > 0 && bp&7 == 0 && bp >= s.at.SP && s.words(word[:], bp-8) && word[0] == uint64(m)<<1
}
