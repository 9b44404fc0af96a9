package functions

import (
	"strings"

	"github.com/hotspan/hotspan/v8/stack"
)

// builtinAt finds the builtin that a frame is in. A return address may be behind the last instruction of its builtin;
// but one at the very start of another is no return address: the deoptimiser goes on there.
func (v *Resolver) builtinAt(raw stack.RawFrame) (name string, start uint64, ok bool) {
	name, start, _, ok = v.space.Builtin(raw.PC)
	if raw.Exact || ok && start == raw.PC && isInterpreter(name) {
		return name, start, ok
	}
	name, start, _, ok = v.space.Builtin(raw.PC - 1)
	return name, start, ok
}

// interprets reports whether a function's frame in a builtin is the interpreter's. Where builtins have no names, it is
// if the frame holds bytecode.
func (v *Resolver) interprets(name string, raw stack.RawFrame) bool {
	if name != UnnamedBuiltin {
		return isInterpreter(name)
	}
	_, known := v.points[point{fn: v.functions[raw.ID], at: raw.Offset, tier: Ignition}]
	return known || raw.Offset > 0 && v.r.IsBytecode(raw.Bytecode)
}

func isHandler(name string) bool { return strings.HasSuffix(name, "Handler") }

func isInterpreter(name string) bool {
	return isHandler(name) || strings.HasPrefix(name, "InterpreterEntryTrampoline") ||
		strings.HasPrefix(name, "InterpreterEnterAt") || entersBaseline(name)
}

// entersBaseline reports whether a builtin goes from an interpreted frame to its baseline code: until V8 11, where the
// deoptimiser has made that frame.
func entersBaseline(name string) bool { return strings.HasPrefix(name, "BaselineOrInterpreterEnterAt") }
