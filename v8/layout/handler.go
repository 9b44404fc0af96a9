package layout

import (
	"bytes"
	"encoding/binary"
	"slices"
)

// Handler is a builtin that V8 calls when a promise is settled that something waits for.
type Handler uint8

// The handlers. NoHandler is any other builtin.
const (
	NoHandler         Handler = iota
	AwaitResolve              // goes on with an async function
	AwaitReject               // throws in it
	GenerateResolve           // goes on with an async generator that awaits
	GenerateReject            // throws in it
	YieldResolve              // goes on with an async generator that yields a promise
	AllResolve                // of Promise.all, for one of its promises
	AllSettledResolve         // of Promise.allSettled, for one that is fulfilled
	AllSettledReject          // for one that is rejected
	AnyReject                 // of Promise.any
	PromiseResolve            // resolves a promise: what new Promise hands to its function
	numHandlers
)

// handlerNames are V8's names. (src/builtins/builtins-definitions.h, promise-all.tq, promise-any.tq,
// promise-abstract-operations.tq)
var handlerNames = map[string]Handler{
	"AsyncFunctionAwaitResolveClosure":           AwaitResolve,
	"AsyncFunctionAwaitRejectClosure":            AwaitReject,
	"AsyncGeneratorAwaitResolveClosure":          GenerateResolve,
	"AsyncGeneratorAwaitRejectClosure":           GenerateReject,
	"AsyncGeneratorYieldWithAwaitResolveClosure": YieldResolve,
	"AsyncGeneratorYieldResolveClosure":          YieldResolve, // until V8 11
	"PromiseAllResolveElementClosure":            AllResolve,
	"PromiseAllSettledResolveElementClosure":     AllSettledResolve,
	"PromiseAllSettledRejectElementClosure":      AllSettledReject,
	"PromiseAnyRejectElementClosure":             AnyReject,
	"PromiseCapabilityDefaultResolve":            PromiseResolve,
}

// symBuiltins is V8's table of its builtins by number, of {name, kind, data}. GCC marks names in the namespace as
// local. (src/builtins/builtins.cc, builtin_metadata)
var symBuiltins = []string{
	"_ZN2v88internal12_GLOBAL__N_1L16builtin_metadataE", "_ZN2v88internal12_GLOBAL__N_116builtin_metadataE",
}

const (
	builtinSize    = 24      // bytes of a row of the table
	maxBuiltins    = 1 << 14 // Node 26 has 2,415
	maxBuiltinName = 64
)

// Handler tells by the number of a builtin which handler it is.
func (l *Layout) Handler(builtin int) Handler {
	if builtin < 0 || builtin > 1<<16-1 {
		return NoHandler
	}
	for i := 0; i+2 <= len(l.Handlers) && i < 2*int(numHandlers); i += 2 {
		if n := binary.LittleEndian.Uint16(l.Handlers[i:]); n != 0 && int(n) == builtin {
			return Handler(i / 2)
		}
	}
	return NoHandler
}

// readHandlers finds the numbers of the handlers.
func (l *Layout) readHandlers(im *image) {
	name, ok := im.firstOf(symBuiltins)
	if !ok {
		if l.Handlers = official(l.V8, "handlers"); l.Handlers == nil {
			l.note("no symbol builtin_metadata: who awaits a promise is unknown")
		}
		return
	}
	s := im.syms[name]
	table, err := im.bytes(s.value, int(min(s.size, builtinSize*maxBuiltins)))
	if err != nil || len(table)%builtinSize != 0 {
		l.note("builtin_metadata: %d bytes are no table (%v)", s.size, err)
		return
	}
	numbers := make([]byte, 2*numHandlers)
	for i := 0; i < len(table); i += builtinSize {
		text, _ := im.bytes(binary.LittleEndian.Uint64(table[i:]), maxBuiltinName)
		text, _, _ = bytes.Cut(text, []byte{0})
		if h := handlerNames[string(text)]; h != NoHandler {
			binary.LittleEndian.PutUint16(numbers[2*h:], uint16(i/builtinSize))
		}
	}
	if slices.Max(numbers) == 0 { // a position-independent file has its pointers in relocations
		l.note("builtin_metadata has no names: who awaits a promise is unknown")
		return
	}
	l.Handlers = numbers
}
