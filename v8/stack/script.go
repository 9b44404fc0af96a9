package stack

import (
	"github.com/hotspan/hotspan/v8/heap"
)

// function is what is known of a function that was seen.
type function struct {
	name                 string
	nameLine, nameColumn int       // of the identifier that name is, where the script names a source map
	script               *script   // nil for a builtin
	sfi                  heap.Word // where its SharedFunctionInfo was last
	bytecode             *heap.Bytecode
}

// script is a script that was seen.
type script struct {
	*heap.Script
	at        heap.Word // where the Script was last
	name      string    // that the Script has; it may be named by where it was evaluated
	sourceMap int32     // as Resolver.Maps numbers it; 0 = none
}

// same reports whether a Script is the same one, at another address.
func (s *script) same(now *heap.Script) bool {
	return s.name == now.Name && s.EvalAt == now.EvalAt &&
		s.LineOffset == now.LineOffset && s.ColumnOffset == now.ColumnOffset
}
