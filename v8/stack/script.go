package stack

import (
	"github.com/hotspan/hotspan/v8/heap"
)

// function is what is known of a function that was seen.
type function struct {
	name                 string
	nameLine, nameColumn int     // of the identifier that name is, where the script names a source map
	script               *script // nil for a builtin
	bytecode             *heap.Bytecode
}

// script is a script that was seen.
type script struct {
	*heap.Script
	sourceMap int32 // as Resolver.Maps numbers it; 0 = none
}
