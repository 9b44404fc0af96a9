// Package repair corrects the youngest frames of a stack in V8's code.
//
// A walk takes rbp for the frame pointer of the interrupted function. In a prologue, in an epilogue and in builtins
// without a frame, rbp is the caller's: then there is one frame more, and the frame at rbp continues at the return
// address, which is on top of the stack. Which of these it is the instructions around the pc tell. What they are part
// of, and which function's, a Process says: package functions.
//
// What rests on x86-64 is in the files x86_*.go, and reads machine code by package x86.
package repair

import (
	"github.com/hotspan/hotspan/v8/layout"
	"github.com/hotspan/hotspan/v8/x86"
)

// Repairer repairs frames of one process. It is not safe for concurrent use.
type Repairer struct {
	filling  builtinPoints[bool]       // where fillsFrame is known
	holders  builtinPoints[x86.Holder] // where holder is
	handlers map[string]*x86.Handler   // of the interpreter, by name
	layout   *layout.Layout
}

// New repairs frames of a process with this layout.
func New(l *layout.Layout) *Repairer {
	return &Repairer{
		filling: builtinPoints[bool]{}, holders: builtinPoints[x86.Holder]{}, handlers: map[string]*x86.Handler{},
		layout: l,
	}
}

// attempt is one call of Repair.
type attempt struct {
	Process
	*Repairer
	passing bool
}
