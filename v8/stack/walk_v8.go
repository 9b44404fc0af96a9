package stack

import (
	"github.com/hotspan/hotspan/v8/heap"
	"github.com/hotspan/hotspan/v8/layout"
	"github.com/hotspan/hotspan/v8/target"
)

// leafWords is how many words of the stack are kept for repairs.
const leafWords = 64

// The words of a frame that are read: from the interpreter's bytecode offset below its frame pointer, to what every frame has
// above it, and arguments. (src/execution/frame-constants.h)
const (
	slotOffset = iota
	slotBytecode
	_ // number of arguments
	slotFunction
	slotContext
	slotBP
	slotPC
	slotArguments
	numSlots = slotArguments + 4
)

// stepV8 goes up from a frame of V8's.
func (s *walk) stepV8() {
	var v [numSlots]uint64
	if s.v8SP == 0 {
		s.v8SP = s.at.SP
	}
	end := uint64(0)
	if s.at.BP <= s.at.SP {
		end = s.dropped(&v)
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

// tagged says that a word is a strong pointer, if it is one of V8's.
func tagged(w uint64) bool { return w&3 == 1 }

// marker is the type in a marker, which is even; -1 for another word. (StackFrame::TypeToMarker)
func marker(w uint64) int {
	if w&1 != 0 {
		return -1
	}
	return int(w >> 1 & 0xffff)
}

// How much of an object is read at once: no more than the least size that it has in any V8 since 9.4, since what follows
// may not be mapped.
const (
	functionHead = 40
	sfiHead      = 64
	scriptHead   = 72
	debugHead    = 32
)

// identify takes the identity of a function that the collector cannot change: JSFunction → SharedFunctionInfo →
// Script.id and function literal id. A function without a script (a builtin) has script -1.
func (s *walk) identify(function heap.Word, f *RawFrame) {
	l := s.Layout
	head, ok := s.object(&function, functionHead)
	if !ok {
		return
	}
	sfi := heap.Word(at(head, l.At(layout.JSFunctionShared)))
	if head, ok = s.object(&sfi, sfiHead); !ok {
		return
	}
	f.SFI = sfi
	literal := l.At(layout.SFIFunctionLiteralID)
	f.ID.Literal = int32(at(head, literal) >> (literal & 4 * 8))
	script := heap.Word(at(head, l.At(layout.SFIScript)))
	if script != s.script || s.script == 0 {
		s.id = s.scriptID(script)
	}
	s.script = script
	f.ID.Script = s.id
}

// skipDebugInfo goes on where, until V8 11, a function that a debugger has looked at has a DebugInfo in place of its Script,
// which the DebugInfo has.
func (s *walk) skipDebugInfo(script *heap.Word) {
	field := s.Layout.At(layout.DebugInfoScript)
	if field <= 0 {
		return
	}
	head, ok := s.object(script, debugHead)
	if ok && s.instanceType(head[0]) == s.Layout.At(layout.TypeDebugInfo) {
		*script = heap.Word(at(head, field))
	}
}

// scriptID is Script.id; -1 if the object is no Script.
func (s *walk) scriptID(script heap.Word) int32 {
	s.skipDebugInfo(&script)
	head, ok := s.object(&script, scriptHead)
	if !ok || s.instanceType(head[0]) != s.Layout.At(layout.TypeScript) {
		return -1
	}
	id := heap.Word(at(head, s.Layout.At(layout.ScriptID)))
	if !id.IsSmi() {
		return -1
	}
	return int32(id.Smi())
}

// instanceType is that of the objects of a hidden class; -1 if it cannot be read.
func (s *walk) instanceType(hiddenClass uint64) int {
	var b [2]byte
	if !tagged(hiddenClass) {
		return -1
	}
	if n, _ := s.Mem.ReadAt(b[:], int64(hiddenClass-1)+int64(s.Layout.At(layout.MapInstanceType))); n < len(b) {
		return -1
	}
	return int(b[0]) | int(b[1])<<8
}

// object reads the first words of a heap object. While a collection runs, the map word of an object that has moved is its
// new address without a tag (src/objects/objects.h, MapWord): w becomes that, and the map word is the new one's. All else
// is read where the object was: V8 forwards it before it copies it (src/heap/scavenger.cc).
func (s *walk) object(w *heap.Word, size int) ([]uint64, bool) {
	head := make([]uint64, size/8)
	if !tagged(uint64(*w)) || !s.words(head, uint64(*w)-1) {
		return nil, false
	}
	if head[0]&1 != 0 {
		return head, true
	}
	*w = heap.Word(head[0] + 1)
	return head, s.words(head[:1], uint64(*w)-1) && head[0]&1 != 0
}

// at is the word at a byte offset of an object's head; 0 where the head does not have it.
func at(head []uint64, offset int) uint64 {
	if i := offset >> 3; i >= 0 && i < len(head) {
		return head[i]
	}
	return 0
}

// readLeaf keeps what it takes to repair the first frame in V8's code, whose frame pointer may be its caller's: the stack,
// and the function that rdi holds while it is entered.
func (s *walk) readLeaf(regs target.Registers) {
	s.Leaf.R10 = regs.General[target.R10]
	s.Leaf.Callee = RawFrame{Marker: -1, ID: heap.Identity{Script: -1}}
	if s.v8SP == 0 {
		return
	}
	if s.v8SP == s.leafSP {
		s.identify(heap.Word(regs.General[target.RDI]), &s.Leaf.Callee)
	}
	if words := make([]uint64, leafWords); s.words(words, s.v8SP) {
		s.Leaf.Words = words
	}
}
