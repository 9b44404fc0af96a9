package dump

import "github.com/hotspan/hotspan/pprofx"

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
	// Arguments are what functions in the stack were called with, by the index of their frames, if Config asks for it.
	Arguments map[int]Arguments
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
