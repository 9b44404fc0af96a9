package stack

// The words of a frame that are read: from the interpreter's bytecode offset below its frame pointer, to what every
// frame has above it, and arguments. (src/execution/frame-constants.h)
const (
	slotOffset = iota
	slotBytecode
	slotCount // number of arguments
	slotFunction
	slotContext
	slotBP
	slotPC
	slotArguments
	numSlots = slotArguments + 4
)

// tagged says that a word is a strong pointer, if it is one of V8's.
func tagged(w uint64) bool { return w&3 == 1 }

// marker is the type in a marker, which is even; -1 for another word. (StackFrame::TypeToMarker)
func marker(w uint64) int {
	if w&1 != 0 {
		return -1
	}
	return int(w >> 1 & 0xffff)
}
