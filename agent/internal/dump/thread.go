package dump

import (
	"github.com/hotspan/hotspan/pprofx"
	"github.com/hotspan/hotspan/v8/await"
)

// Thread is a thread as it was at one instant.
type Thread struct {
	TID    int
	Name   string
	Status string // of the kernel: running, sleeping and so on
	Caught bool   // else it did not stand still, and nothing of the following is known
	Stop   pprofx.StopReason
	State  pprofx.State
	Labels []pprofx.Label
	Stack  []*pprofx.Frame // leaf first
	Async  Async
	// Arguments are what functions in the stack were called with, by the index of their frames, if Config asks for it.
	Arguments map[int]Arguments
}

// Async is who waits for what a thread does in an async function or in a callback of a promise: what Error.stack shows
// as "at async". There is none if the thread runs no microtask, or it is not certain.
type Async struct {
	Callers []*pprofx.Frame // the nearest first
	End     await.End       // why there are no more
	Promise uint64          // the last one, with V8's tag; 0: there is none
}

// Arguments are what a function was called with, as util.inspect shows it where it is in an object: a value, or
// [Account] with the address. A function may have assigned to its parameters since.
type Arguments struct {
	Receiver Argument // this
	Values   []Argument
	More     int // that are not shown
}

// Argument is a value.
type Argument struct {
	Text    string
	Address uint64 // of an object, with V8's tag; 0: the value is in the word itself
}
