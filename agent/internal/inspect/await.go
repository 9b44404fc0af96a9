package inspect

import (
	"errors"
	"fmt"
	"reflect"

	"github.com/hotspan/hotspan/v8/await"
	"github.com/hotspan/hotspan/v8/functions"
	"github.com/hotspan/hotspan/v8/heap"
	"github.com/hotspan/hotspan/v8/space"
)

// Awaited is who waits for something, the nearest first.
type Awaited struct {
	Waiters []Waiter
	End     await.End // why there are no more
	Promise uint64    // the last one, with V8's tag; 0: there is none
	Forks   []Awaited // where several wait for Promise
	More    int       // of these that are not listed
}

// Waiter is an async function that waits, or what stands between two of them.
type Waiter struct {
	Kind         await.Kind
	Name         string // as in a stack; Promise.all and the like with the number of the promise
	File         string
	Line, Column int    // of its await; of a callback, where its parameters begin; 0: not known
	Address      uint64 // of the generator object or of the callback, with V8's tag
}

// Waits is who waits for what is at an address.
type Waits struct {
	Of   []Awaited
	Walk Walk // of a heap that was searched; else empty
}

// Await finds who waits for what is at an address: a promise, an async function or generator that is suspended, by its
// generator object, or V8's handler of an await or the context of that. Of a function, or of a context of variables,
// it finds the suspended calls in the heap.
func (s *Subject) Await(address uint64, progress Progress) (out Waits, err error) {
	w := tagged(address)
	one, err := s.awaited(w)
	if !errors.Is(err, await.ErrNoWaiting) {
		out.Of = []Awaited{one}
		return out, atAddress(w, err)
	}
	calls, walk := s.suspendedCalls(w, progress)
	out.Walk = walk
	for _, g := range calls {
		one, failed := s.awaited(g)
		if failed != nil {
			return out, atAddress(g, failed)
		}
		out.Of = append(out.Of, one)
	}
	if len(out.Of) == 0 {
		return out, atAddress(w, err)
	}
	return out, nil
}

func atAddress(w heap.Word, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("0x%x: %w", uint64(w), err)
}

// awaited follows from one object; of a process that runs until it is the same twice.
func (s *Subject) awaited(w heap.Word) (out Awaited, err error) {
	out, err = s.awaitedOnce(w)
	for range maxLooks {
		if !s.live || errors.Is(err, await.ErrNoWaiting) {
			return out, err
		}
		before, failed := out, err
		out, err = s.awaitedOnce(w)
		if failed == nil && err == nil && reflect.DeepEqual(before, out) {
			return out, nil
		}
	}
	if err == nil {
		err = ErrChanged
	}
	return out, err
}

func (s *Subject) awaitedOnce(w heap.Word) (Awaited, error) {
	n := waiting{
		Reader: &await.Reader{Heap: s.now(), Types: s.types, Forks: true},
		names:  functions.NewResolver(s.process.Heap(), s.process.Mappings), of: s,
	}
	c, err := n.Of(w)
	if err != nil {
		return Awaited{}, err
	}
	return n.named(&c), nil
}

// waiting names those who wait.
type waiting struct {
	*await.Reader
	names *functions.Resolver
	of    *Subject
}

func (n *waiting) named(c *await.Chain) Awaited {
	out := Awaited{End: c.End, Promise: uint64(c.Promise), More: c.More}
	for i := range c.Waiters {
		out.Waiters = append(out.Waiters, n.waiter(&c.Waiters[i]))
	}
	for i := range c.Forks {
		out.Forks = append(out.Forks, n.named(&c.Forks[i]))
	}
	return out
}

func (n *waiting) waiter(w *await.Waiter) Waiter {
	out := Waiter{Kind: w.Kind, Address: uint64(w.Generator)}
	if w.Kind == await.Callback {
		out.Address = uint64(w.Function)
		if f, err := n.of.Function(out.Address); err == nil {
			out.Name, out.File, out.Line, out.Column = f.Name, f.File, f.Line, f.Column
		}
		return out
	}
	if f := n.Frame(n.names, w); f != nil {
		out.Name, out.File, out.Line, out.Column = f.Name, f.File, f.Line, f.Column
	}
	return out
}

// maxCalls bounds the suspended calls of one function that are followed.
const maxCalls = 64

// suspendedCalls finds the generator objects of a function, or of functions that use a context.
func (s *Subject) suspendedCalls(of heap.Word, progress Progress) (out []heap.Word, walk Walk) {
	r := &await.Reader{Heap: s.now(), Types: s.types}
	of, _, err := r.Heap.Forwarded(of)
	if err != nil {
		return nil, walk
	}
	walk = s.walk(s.heap(), progress, func(o *space.Object) bool {
		if await.IsGenerator(o.Name) && r.IsSuspendedCall(o.Word, of) {
			out = append(out, o.Word)
		}
		return len(out) < maxCalls
	})
	walk.Cut = walk.Cut || len(out) == maxCalls
	return out, walk
}
