package functions

import (
	"github.com/hotspan/hotspan/v8/heap"
)

// function is what is known of a function that was seen.
type function struct {
	id                   heap.Identity
	name                 string
	own                  string    // that V8 has; it may be named by the text around it
	nameLine, nameColumn int       // of the identifier that name is, where the script names a source map
	start                int       // where it begins in its script, in UTF-16 units; -1 = not known
	script               *script   // nil for a builtin
	sfi, before          heap.Word // where its SharedFunctionInfo was last, and before that; 0 = nowhere
	earlier              *function // with the same numbers, in an isolate before this one
	bytecode             *heap.Bytecode
	bytecodeAt           heap.Word // where that was last
}

// nowhere is the address of no object.
const nowhere heap.Word = 2

// at finds the function whose SharedFunctionInfo is at an address, or was: a sample may be older than the last move.
// Nil: neither it nor the one before it. f may be nil.
func (f *function) at(sfi heap.Word) *function {
	for ; f != nil; f = f.earlier {
		if f.sfi == sfi || f.before == sfi && sfi != 0 {
			return f
		}
	}
	return nil
}

// script is a script that was seen.
type script struct {
	*heap.Script
	at        heap.Word // where the Script was last
	name      string    // that the Script has; it may be named by where it was evaluated
	sourceMap int32     // as Resolver.Maps numbers it; 0 = none
	// What esbuild's helper for names is called here, if that was looked for.
	helper     string
	helperRead bool
}
