package inspect

import (
	"slices"
	"time"

	"github.com/hotspan/hotspan/agent/internal/process"
	"github.com/hotspan/hotspan/context/nodejs"
	"github.com/hotspan/hotspan/v8/heap"
	"github.com/hotspan/hotspan/v8/layout"
)

// watchEvery is the interval between two inspections of a thread. Between requests it has no store.
const watchEvery = 500 * time.Microsecond

// Current are the current stores of a thread: those of an AsyncContextFrame, or of a resource of async_hooks.
type Current struct {
	Frame  heap.Word    // 0 for a resource
	Stores []heap.Entry // of a resource: without keys, as those are only symbols
}

// Isolate reads the current stores of one isolate of a running process.
type Isolate struct {
	r     *heap.Reader
	l     *layout.Layout
	at    uint64
	in    heap.Word          // a context of its JavaScript code; 0 = the one that it has at present
	hooks *nodejs.AsyncHooks // nil = not found yet
}

// NewIsolate makes an Isolate for the one at an address.
func NewIsolate(r *heap.Reader, at uint64) *Isolate { return &Isolate{r: r, l: r.Layout(), at: at} }

// In has async_hooks found by a context of the isolate's JavaScript code, as frames of that have it. While the code
// runs, the isolate itself may have none.
func (p *Isolate) In(context heap.Word) *Isolate {
	p.in = context
	return p
}

// Current reads the current stores once. ok is false if there are none, or they cannot be read.
func (p *Isolate) Current() (c Current, ok bool) {
	if at := p.l.At(layout.IsolateCPED); at >= 0 {
		w, err := p.r.WordAt(p.at + uint64(at))
		if err != nil {
			return c, false
		}
		if t, err := p.r.Type(w); err == nil && t == p.l.At(layout.TypeJSMap) {
			c.Frame = w
			c.Stores, err = p.r.Entries(w)
			return c, err == nil
		}
	}
	hooks, err := p.asyncHooks()
	if err != nil {
		return c, false
	}
	resource, err := hooks.CurrentResource(p.r)
	if err != nil || resource == 0 {
		return c, false
	}
	values, err := nodejs.StoresOf(p.r, resource)
	for _, v := range values {
		c.Stores = append(c.Stores, heap.Entry{Value: v})
	}
	return c, err == nil && slices.ContainsFunc(c.Stores, func(e heap.Entry) bool { return !p.isOddball(e.Value) })
}

// asyncHooks finds the async_hooks of the isolate, once. At times the isolate has no current context, then it finds
// nothing.
func (p *Isolate) asyncHooks() (*nodejs.AsyncHooks, error) {
	if p.hooks != nil {
		return p.hooks, nil
	}
	if err := p.l.Require(process.AsyncHooksFields...); err != nil {
		return nil, err
	}
	h, err := nodejs.FindAsyncHooks(p.r, p.at, p.in)
	if err != nil {
		return nil, err
	}
	p.hooks = &h
	return p.hooks, nil
}

func (p *Isolate) isOddball(w heap.Word) bool {
	t, err := p.r.Type(w)
	return err == nil && t == p.l.At(layout.TypeOddball)
}

// Watch calls f with each set of current stores that it sees, until f returns true or the time is over.
func (p *Isolate) Watch(d time.Duration, f func(Current) bool) {
	for end := time.Now().Add(d); time.Now().Before(end); time.Sleep(watchEvery) {
		if c, ok := p.Current(); ok && f(c) {
			return
		}
	}
}

// Location returns where the process keeps these stores.
func (c Current) Location() StoreLocation {
	return StoreLocation{InFrame: c.Frame != 0, Seen: true, Why: "seen in the process"}
}
