package functions

import "github.com/hotspan/hotspan/v8/wasm"

// CodeKey names a piece of machine code that V8 made at run time, for as long as it is where it is. One that takes its
// place has another key, and so has the same code elsewhere.
type CodeKey struct {
	code *code
	wasm wasm.Code
}

// Range is where the instructions are: [start, end).
func (k CodeKey) Range() (start, end uint64) {
	if k.code != nil {
		return k.code.Start, k.code.End
	}
	return k.wasm.Start, k.wasm.End
}

// CodeLine is the place in the source of the instructions from an offset of the code on, to the next CodeLine. It is
// that of the innermost function, where calls are inlined; Line is 0 where it is not known.
type CodeLine struct {
	Offset       int
	File         string
	Line, Column int    // 1-based
	Text         string // of the line, as far as it is kept; of several CodeLines of a line the first has it
}

// Limits of one piece of code: lines, and how many of their texts are read, in UTF-16 units each.
const (
	maxCodeLines = 1 << 14
	maxLineTexts = 1 << 8
	maxLineText  = 160
)
