package inspect

import (
	"slices"
	"time"

	"github.com/hotspan/hotspan/agent/internal/process"
	reqctx "github.com/hotspan/hotspan/context"
	"github.com/hotspan/hotspan/v8/heap"
	"github.com/hotspan/hotspan/v8/layout"
)

// watchEvery is how often a thread is looked at. It has no store between requests.
const watchEvery = 500 * time.Microsecond

// Current is what is current in a thread: an AsyncContextFrame, or the stores of a resource.
type Current struct {
	Frame  heap.Word    // 0 = a resource
	Stores []heap.Entry // of a resource without keys: what is known of these is a symbol
}

// Isolate reads what is current in one isolate of a process that runs on.
type Isolate struct {
	r     *heap.Reader
	l     *layout.Layout
	at    uint64
	hooks *reqctx.AsyncHooks // nil = not found yet
}

// NewIsolate reads the isolate at an address.
func NewIsolate(r *heap.Reader, at uint64) *Isolate { return &Isolate{r: r, l: r.Layout(), at: at} }

// Current looks once. ok is false where nothing is current, or it cannot be read.
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
	values, err := reqctx.StoresOf(p.r, resource)
	for _, v := range values {
		c.Stores = append(c.Stores, heap.Entry{Value: v})
	}
	return c, err == nil && slices.ContainsFunc(c.Stores, func(e heap.Entry) bool { return !p.isOddball(e.Value) })
}

// asyncHooks finds those of the isolate once. At times it refers to no context, then nothing is found.
func (p *Isolate) asyncHooks() (*reqctx.AsyncHooks, error) {
	if p.hooks != nil {
		return p.hooks, nil
	}
	if err := p.l.Require(process.AsyncHooksFields...); err != nil {
		return nil, err
	}
	h, err := reqctx.FindAsyncHooks(p.r, p.at, 0)
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

// Watch calls f with what it finds to be current, until f is content or the time is over.
func (p *Isolate) Watch(d time.Duration, f func(Current) bool) {
	for end := time.Now().Add(d); time.Now().Before(end); time.Sleep(watchEvery) {
		if c, ok := p.Current(); ok && f(c) {
			return
		}
	}
}

// Location is where the stores are by what is seen, which is proof.
func (c Current) Location() StoreLocation {
	return StoreLocation{InFrame: c.Frame != 0, Seen: true, Why: "seen in the process"}
}
