// Package requests finds what a Node process waits for, and with which stores of AsyncLocalStorages: timers, handles
// and requests of libuv, jobs of its pool, and the promises that async functions await.
//
// What it finds is on V8's heap, where garbage is too that was not collected yet. So only what Node.js and libuv
// themselves have in hand counts: a timer that is in a list of timers, an object of C++ that refers to its JavaScript
// object as that does to it, and in which libuv has a handle or a request. Whether a pending promise is garbage cannot
// be told.
package requests

import (
	"github.com/hotspan/hotspan/v8/heap"
)

// Sort says by what something is waited for.
type Sort uint8

// The sorts.
const (
	Timer   Sort = iota // a Timeout or an Immediate
	Handle              // of libuv, that is active: a socket, a server, a child process
	Request             // of libuv, that has not ended: of a file, a name, a connection
	Job                 // for a thread of libuv's pool: of crypto, zlib, an add-on
	Await               // of an async function, or reactions of a promise by then
)

var sorts = [...]string{"timer", "handle", "request", "job", "promise"}

// String names the sort, as JSON has it.
func (s Sort) String() string { return sorts[s] }

// Wait is one thing that is waited for.
type Wait struct {
	Sort
	Kind     string       // the class: Timeout, TCP, FSReqCallback, Promise
	Object   heap.Word    // of JavaScript
	ID       float64      // of the asynchronous operation, which never changes; 0: it has none
	What     string       // that tells more: open /etc/hosts, reading, every; empty: nothing does
	Function heap.Word    // JSFunction that goes on afterwards; 0: not known
	Offset   int          // of the await in its bytecode; -1: not known
	Delay    float64      // of a timer, in milliseconds
	Timed    bool         // Since and Due are known
	Since    float64      // how long a timer runs already, since it fired last, in milliseconds
	Due      float64      // in how many milliseconds it fires; not above 0: it is due
	Native   uint64       // address of the C++ object; 0: there is none
	Stores   []heap.Entry // of the AsyncLocalStorages, without keys where async_hooks keep them
	NotRead  error        // why the stores are not known
}

// Found is what a walk found.
type Found struct {
	Waits []Wait
	More  int // that are left out, beyond maxWaits; all reactions of one promise count once
}

// maxWaits bounds what is listed.
const maxWaits = 1 << 16

// add reports whether there was room.
func (f *Found) add(w Wait) bool {
	if len(f.Waits) >= maxWaits {
		f.More++
		return false
	}
	f.Waits = append(f.Waits, w)
	return true
}
