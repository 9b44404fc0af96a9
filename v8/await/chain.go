// Package await tells who waits for a promise: which asynchronous functions go on when it is settled, who waits for
// these, and so on. It is what V8 shows in stacks of errors as "at async": it follows Isolate::CaptureAsyncStackTrace
// of src/execution/isolate.cc.
//
// A promise that is not settled has reactions: what V8 calls then. That of an await is a closure of V8's, in whose
// context the suspended function is: its JSGeneratorObject. That has the promise which the function returned, for which
// the next one may wait.
package await

import "github.com/hotspan/hotspan/v8/heap"

// Kind is in which way something waits.
type Kind uint8

// The kinds.
const (
	Function Kind = iota // an asynchronous function or generator that is suspended
	All                  // Promise.all
	AllSettled
	Any
	Callback // a function that was handed to then or catch; V8 leaves these out of stacks
)

var kindNames = [...]string{"async function", "Promise.all", "Promise.allSettled", "Promise.any", "callback"}

// String is what JavaScript calls it.
func (k Kind) String() string { return kindNames[k] }

// Waiter is what waits for a promise.
type Waiter struct {
	Kind      Kind
	Generator heap.Word // of a Function: its JSGeneratorObject
	Function  heap.Word // of a Function and a Callback: its JSFunction
	Position  int       // of a Function: where it is suspended, as heap.Bytecode.Offset takes it
	Index     int       // of a combinator: which of its promises is waited for; -1: it is not known
}

// End is why nobody further is known to wait.
type End uint8

// The ends.
const (
	Nobody   End = iota // waits for Chain.Promise
	Settled             // Chain.Promise is settled, and nothing waits for it any more
	Several             // wait for Chain.Promise
	Foreign             // what waits for Chain.Promise hands its result to something that is no promise
	Started             // whoever asks for the values of an async generator does not wait at present
	Circular            // Chain.Promise waits for itself
	Cut                 // there are more waiters than are followed
)

// Chain is who waits for a promise, the nearest first.
type Chain struct {
	Waiters []Waiter
	End     End
	Promise heap.Word // the last one of the chain; 0 if it has none
	Forks   []Chain   // of Several: who waits, in the order in which they began to, if Reader.Forks is set
	More    int       // of Several: how many there are beside Forks
}
