package stack

import (
	"github.com/hotspan/hotspan/v8/heap"
	"github.com/hotspan/hotspan/v8/layout"
)

// How much of an object is read at once: no more than the least size that it has in any V8 since 9.0, since what
// follows may not be mapped.
const (
	functionHead = 40
	scriptHead   = 72
	debugHead    = 32
)

// sfiHead is how much of a SharedFunctionInfo is read: up to the function literal id, behind which it may end.
func sfiHead(l *layout.Layout) int { return (l.At(layout.SFIFunctionLiteralID) + 4 + 7) & 0x78 }

// identify takes the identity of a function that the collector cannot change: JSFunction → SharedFunctionInfo →
// Script.id and function literal id. A function without a script (a builtin) has script -1.
func (s *walk) identify(function heap.Word, f *RawFrame) {
	l := s.Layout
	head, ok := s.object(&function, functionHead)
	if !ok {
		return
	}
	sfi := heap.Word(at(head, l.At(layout.JSFunctionShared)))
	if head, ok = s.object(&sfi, sfiHead(l)); !ok {
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

// skipDebugInfo goes on where, until V8 11, a function that a debugger has looked at has a DebugInfo in place of its
// Script, which the DebugInfo has.
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

// object reads the first words of a heap object. While a collection runs, the map word of an object that has moved is
// its new address without a tag (src/objects/objects.h, MapWord): w becomes that, and the map word is the new one's.
// All else is read where the object was: V8 forwards it before it copies it (src/heap/scavenger.cc).
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
