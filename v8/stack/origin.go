package stack

import (
	"fmt"
	"strings"

	"github.com/hotspan/hotspan/v8/heap"
)

// evalAt begins the file of code that was evaluated and has no name of its own.
const evalAt = "eval at "

// origin names a script by where it was evaluated: "eval at /app/file.js:12". Where that is evaluated code itself, what
// evaluated that is named.
func (v *Resolver) origin(s *heap.Script) string {
	fn := v.called(s.EvalFrom)
	if fn == nil || fn.script == nil || fn.script.Script == s {
		return s.Name
	}
	if fn.script.EvalFrom != 0 {
		return fn.script.Name
	}
	name := evalAt + strings.TrimPrefix(fn.script.Name, evalAt)
	at := s.EvalAt
	if at < 0 {
		if !v.readBytecode(fn, RawFrame{SFI: s.EvalFrom}) {
			return name
		}
		at = sourceAt(fn.bytecode.Positions, -at)
	}
	line, _, err := v.r.Position(fn.script.Script, at)
	if at < 0 || err != nil {
		return name
	}
	return fmt.Sprintf("%s:%d", name, line)
}
