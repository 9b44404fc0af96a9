package layout

import (
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
func (l *Layout) readHandlers(im *image, unnamed func() builtins) {
	names := im.namedByTable()
	if names == nil {
		names = unnamed().names
	}
	numbers := make([]byte, 2*numHandlers)
	for i, name := range names {
		if h := handlerNames[name]; h != NoHandler {
			binary.LittleEndian.PutUint16(numbers[2*h:], uint16(i))
		}
	}
	if slices.Max(numbers) > 0 {
		l.Handlers = numbers
	} else if l.Handlers = official(l.V8, "handlers"); l.Handlers == nil {
		l.note("no names of builtins: who awaits a promise is unknown")
	}
}

// namedByTable returns the names of the builtins by their numbers where V8's table of them has a symbol.
func (im *image) namedByTable() (names []string) {
	symbol, ok := im.firstOf(symBuiltins)
	if !ok {
		return nil
	}
	s := im.syms[symbol]
	table, err := im.bytes(s.value, int(min(s.size, builtinSize*maxBuiltins)))
	for ; err == nil && len(table) >= builtinSize; table = table[builtinSize:] {
		name, _ := im.builtinName(table[:builtinSize])
		names = append(names, name)
	}
	return names
}
