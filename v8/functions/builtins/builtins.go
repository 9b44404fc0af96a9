// Package builtins tells by their names what V8's builtins do with the frame that they run in.
package builtins

import (
	"strings"

	"github.com/hotspan/hotspan/v8/stack"
)

// Space finds a builtin by the address that runs: name, first address, end.
type Space interface {
	Builtin(pc uint64) (name string, start, end uint64, ok bool)
}

// Of finds the builtin that a frame is in. A return address may be behind the last instruction of its builtin; but one
// at the very start of another is no return address: the deoptimiser goes on there.
func Of(raw stack.RawFrame, in Space) (name string, start uint64, ok bool) {
	name, start, _, ok = in.Builtin(raw.PC)
	if raw.Exact || ok && start == raw.PC && IsInterpreter(name) {
		return name, start, ok
	}
	name, start, _, ok = in.Builtin(raw.PC - 1)
	return name, start, ok
}

// IsHandler reports whether a builtin is what the interpreter does for a bytecode.
func IsHandler(name string) bool { return strings.HasSuffix(name, "Handler") }

// IsInterpreter reports whether a builtin runs in the interpreter's frame of a function.
func IsInterpreter(name string) bool {
	return IsHandler(name) || strings.HasPrefix(name, "InterpreterEntryTrampoline") ||
		strings.HasPrefix(name, "InterpreterEnterAt") || EntersBaseline(name)
}

// EntersBaseline reports whether a builtin goes from an interpreted frame to its baseline code: until V8 11, where the
// deoptimiser has made that frame.
func EntersBaseline(name string) bool { return strings.HasPrefix(name, "BaselineOrInterpreterEnterAt") }

// KeepsRegisters reports whether a builtin changes no register of its caller's. (src/builtins/x64/builtins-x64.cc,
// Generate_DoubleToI; src/compiler/backend/x64/code-generator-x64.cc, OutOfLineRecordWrite)
func KeepsRegisters(name string) bool {
	return name == "DoubleToI" || strings.HasPrefix(name, "RecordWrite") ||
		strings.HasPrefix(name, "EphemeronKeyBarrier") || strings.HasPrefix(name, "IndirectPointerBarrier")
}

// IsBaseline reports whether a builtin makes or removes the frame of baseline code.
func IsBaseline(name string) bool {
	return name == "BaselineLeaveFrame" || strings.HasPrefix(name, "BaselineOutOfLinePrologue")
}
