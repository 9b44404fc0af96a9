package await

import (
	"fmt"
	"maps"
	"slices"

	"github.com/hotspan/hotspan/v8/heap"
	"github.com/hotspan/hotspan/v8/layout"
)

// Limits of what is followed from one promise, in a heap that may say anything.
const (
	maxWaiters = 64
	maxHops    = 1 << 10 // promises between them
	maxForks   = 32      // waiters of one promise
)

// follower follows one chain with its forks.
type follower struct {
	*Reader
	path    map[heap.Word]bool // promises on the way to the present one
	waiters int                // that may still be added
	hops    int                // that may still be made
}

func newFollower(r *Reader) *follower { return &follower{r, map[heap.Word]bool{}, maxWaiters, maxHops} }

// generator follows from a function that is suspended or runs.
func (f *follower) generator(g heap.Word) (c Chain, err error) {
	state, err := f.state(g)
	switch {
	case err != nil:
		return c, err
	case state == closed:
		return Chain{End: Settled}, nil
	case state == executing:
		return f.after(g, nil)
	}
	w, err := f.waiter(g)
	if err != nil {
		return c, err
	}
	return f.after(g, []Waiter{w})
}

// after follows from the result of a generator's function, behind the waiters that are there already.
func (f *follower) after(g heap.Word, before []Waiter) (Chain, error) {
	f.waiters -= len(before)
	promise, err := f.result(g)
	if err != nil {
		return Chain{}, err
	}
	if promise == 0 {
		return Chain{Waiters: before, End: Started}, nil
	}
	c, err := f.promise(promise)
	c.Waiters = slices.Concat(before, c.Waiters)
	return c, err
}

// promise follows from a promise.
func (f *follower) promise(p heap.Word) (c Chain, err error) {
	for {
		c.Promise = p
		if f.path[p] {
			c.End = Circular
			return c, nil
		}
		f.path[p] = true
		reactions, more, settled, err := f.reactions(p)
		switch {
		case err != nil:
			return c, err
		case settled:
			c.End = Settled
			return c, nil
		case len(reactions) == 0:
			c.End = Nobody
			return c, nil
		case len(reactions) > 1:
			c.End, c.More = Several, len(reactions)+more
			return c, f.forks(&c, reactions)
		}
		if done, err := f.step(&c, reactions[0], &p); done || err != nil {
			return c, err
		}
	}
}

// forks follows from each of several reactions.
func (f *follower) forks(c *Chain, reactions []heap.Word) error {
	if !f.Forks {
		return nil
	}
	path := f.path
	for _, reaction := range reactions {
		if f.waiters <= 0 {
			return nil
		}
		f.path = maps.Clone(path)
		var p heap.Word
		fork := Chain{Promise: c.Promise}
		done, err := f.step(&fork, reaction, &p)
		if err == nil && !done {
			var rest Chain
			rest, err = f.promise(p)
			rest.Waiters = slices.Concat(fork.Waiters, rest.Waiters)
			fork = rest
		}
		if err != nil {
			return err
		}
		c.Forks = append(c.Forks, fork)
		c.More--
	}
	return nil
}

// step follows a reaction to the next promise. done says that the chain ends.
func (f *follower) step(c *Chain, reaction heap.Word, next *heap.Word) (done bool, err error) {
	if f.waiters <= 0 || f.hops <= 0 {
		c.End = Cut
		return true, nil
	}
	f.hops--
	before := len(c.Waiters)
	end, err := f.react(c, reaction, next)
	f.waiters -= len(c.Waiters) - before
	if err != nil || *next != 0 {
		return err != nil, err
	}
	c.End = end
	return true, nil
}

// Words of what a promise has for when it is settled. From V8 12 on the context of AsyncLocalStorages is first.
// (src/objects/promise.tq)
const (
	reactionNext = iota + 1
	reactionReject
	reactionFulfill
	reactionDerived // promise_or_capability

	capabilityPromise = 1
)

// contextFirst is the first V8 of Node whose reactions and tasks begin with the context of AsyncLocalStorages.
var contextFirst = layout.Version{Major: 12}

// later is by how many words fields are behind where they were.
func (r *Reader) later() int {
	if r.Heap.Layout().V8.Compare(contextFirst) >= 0 {
		return 1
	}
	return 0
}

// reactions are those of a promise, the first one first, and how many there are besides.
func (r *Reader) reactions(p heap.Word) (out []heap.Word, more int, settled bool, err error) {
	if r.class(p) != "JSPromise" {
		return nil, 0, false, fmt.Errorf("0x%x is no promise", uint64(p))
	}
	flags, err := r.Heap.Part(p, layout.JSPromiseFlags)
	switch {
	case err != nil:
		return nil, 0, false, err
	case !flags.IsSmi():
		return nil, 0, false, fmt.Errorf("promise 0x%x: flags 0x%x", uint64(p), uint64(flags))
	case flags.Smi()&3 != 0:
		return nil, 0, true, nil
	}
	w, err := r.Heap.Part(p, layout.JSPromiseResult)
	for n := 0; err == nil && w.IsObject(); n++ {
		if n == maxHops || r.class(w) != "PromiseReaction" {
			return nil, 0, false, fmt.Errorf("promise 0x%x: its reactions are not read", uint64(p))
		}
		out = append(out, w)
		w, err = r.field(w, reactionNext+r.later())
	}
	slices.Reverse(out)
	if n := len(out); n > maxForks {
		out, more = out[:maxForks], n-maxForks
	}
	return out, more, false, err
}

// handlers are those of a reaction.
type handlers struct{ fulfill, reject layout.Handler }

// The handlers that V8 uses together. Numbers of builtins that are those of another build would give other pairs.
var (
	awaits      = handlers{layout.AwaitResolve, layout.AwaitReject}
	generates   = handlers{layout.GenerateResolve, layout.GenerateReject}
	yields      = handlers{layout.YieldResolve, layout.GenerateReject}
	all         = handlers{layout.AllResolve, layout.NoHandler} // it is rejected with the first that is
	allSettled  = handlers{layout.AllSettledResolve, layout.AllSettledReject}
	anyOf       = handlers{layout.PromiseResolve, layout.AnyReject}
	anyOfOthers = handlers{layout.NoHandler, layout.AnyReject} // of a class with a way of its own to resolve
	resolves    = handlers{layout.PromiseResolve, layout.NoHandler}
)

// react adds to a chain who goes on by a reaction, and finds the promise that is settled by it. If there is none, it
// says why.
func (r *Reader) react(c *Chain, reaction heap.Word, next *heap.Word) (End, error) {
	*next = 0
	reject, err1 := r.field(reaction, reactionReject+r.later())
	fulfill, err2 := r.field(reaction, reactionFulfill+r.later())
	derived, err3 := r.field(reaction, reactionDerived+r.later())
	for _, err := range []error{err1, err2, err3} {
		if err != nil {
			return 0, err
		}
	}
	switch (handlers{r.handler(fulfill), r.handler(reject)}) {
	case awaits, generates, yields:
		return r.resume(c, fulfill, next)
	case all:
		return r.combinator(c, All, fulfill, next)
	case allSettled:
		return r.combinator(c, AllSettled, fulfill, next)
	case anyOf, anyOfOthers:
		return r.combinator(c, Any, reject, next)
	case resolves:
		return Foreign, r.promiseIn(fulfill, slotPromise, next)
	}
	for _, w := range []heap.Word{fulfill, reject} {
		if r.isUsers(w) {
			c.Waiters = append(c.Waiters, Waiter{Kind: Callback, Function: w})
			break
		}
	}
	return Foreign, r.settles(derived, next)
}

// resume adds the function that an await goes on with.
func (r *Reader) resume(c *Chain, handler heap.Word, next *heap.Word) (End, error) {
	context, err := r.Heap.Part(handler, layout.JSFunctionContext)
	if err != nil {
		return 0, err
	}
	g := r.suspended(context)
	if g == 0 {
		return 0, fmt.Errorf("handler 0x%x has no generator", uint64(handler))
	}
	if state, err := r.state(g); err != nil {
		return 0, err
	} else if state < 0 {
		return 0, fmt.Errorf("generator 0x%x is not suspended", uint64(g))
	}
	w, err := r.waiter(g)
	if err != nil {
		return 0, err
	}
	c.Waiters = append(c.Waiters, w)
	*next, err = r.result(g)
	return Started, err
}

// combinator adds a Promise.all and the like. When it has used a handler, that has no context of its own any more.
func (r *Reader) combinator(c *Chain, k Kind, handler heap.Word, next *heap.Word) (End, error) {
	w := Waiter{Kind: k, Index: -1}
	// The identity hash of a handler is the number of its promise, and one more.
	if hash, err := r.Heap.Part(handler, layout.JSReceiverPropertiesOrHash); err == nil && hash.IsSmi() {
		w.Index = hash.Smi() - 1
	}
	c.Waiters = append(c.Waiters, w)
	return Foreign, r.promiseIn(handler, slotCapability, next)
}

// promiseIn finds the promise that a handler settles, which is in its context.
func (r *Reader) promiseIn(handler heap.Word, slot int, next *heap.Word) error {
	context, err := r.Heap.Part(handler, layout.JSFunctionContext)
	if err != nil {
		return err
	}
	w, err := r.slot(context, slot)
	if err != nil {
		return err
	}
	return r.settles(w, next)
}

// settles finds the promise that a word stands for: one, or a PromiseCapability.
func (r *Reader) settles(w heap.Word, next *heap.Word) (err error) {
	if r.class(w) == "PromiseCapability" {
		if w, err = r.field(w, capabilityPromise); err != nil {
			return err
		}
	}
	if r.class(w) == "JSPromise" {
		*next = w
	}
	return nil
}

// isUsers reports whether a word is a function with a script.
func (r *Reader) isUsers(w heap.Word) bool {
	if r.class(w) != "JSFunction" {
		return false
	}
	shared, err := r.Heap.Shared(w)
	if err != nil {
		return false
	}
	f, err := r.Heap.Function(shared)
	return err == nil && f.Script != 0
}
