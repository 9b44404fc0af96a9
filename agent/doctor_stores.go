package agent

import (
	"slices"
	"time"

	reqctx "github.com/hotspan/hotspan/context"
	"github.com/hotspan/hotspan/v8/heap"
	"github.com/hotspan/hotspan/v8/layout"
	"github.com/hotspan/hotspan/v8/verify"
)

// How long a process is watched for a frame, and how often it is looked at. It has none between requests.
const (
	watchShort = 30 * time.Millisecond
	watchLong  = 2 * time.Second
	watchEvery = 500 * time.Microsecond
)

// current is what was found to be current in the main thread: an AsyncContextFrame, or the stores of a resource.
type current struct {
	frame  heap.Word    // 0 = a resource
	stores []heap.Entry // of a resource without keys: what is known of these is a symbol
}

// isolateStores finds what is current in one isolate.
type isolateStores struct {
	r     *heap.Reader
	l     *layout.Layout
	at    uint64             // the isolate
	hooks *reqctx.AsyncHooks // nil = not found yet
}

// current looks once.
func (p *isolateStores) current() (c current, ok bool) {
	if at := p.l.At(layout.IsolateCPED); at >= 0 {
		w, err := p.r.WordAt(p.at + uint64(at))
		if err != nil {
			return c, false
		}
		if t, err := p.r.Type(w); err == nil && t == p.l.At(layout.TypeJSMap) {
			c.frame = w
			c.stores, err = p.r.Entries(w)
			return c, err == nil
		}
	}
	hooks, err := p.asyncHooks()
	if err != nil {
		return c, false
	}
	resource, err := hooks.Current(p.r)
	if err != nil || resource == 0 {
		return c, false
	}
	values, err := reqctx.StoresOf(p.r, resource)
	for _, v := range values {
		c.stores = append(c.stores, heap.Entry{Value: v})
	}
	return c, err == nil && slices.ContainsFunc(c.stores, func(e heap.Entry) bool { return !p.isOddball(e.Value) })
}

// asyncHooks finds those of the isolate once. At times it refers to no context, then nothing is found.
func (p *isolateStores) asyncHooks() (*reqctx.AsyncHooks, error) {
	if p.hooks != nil {
		return p.hooks, nil
	}
	if err := p.l.Require(hooksFields...); err != nil {
		return nil, err
	}
	h, err := reqctx.AsyncHooksOf(p.r, p.at, 0)
	if err != nil {
		return nil, err
	}
	p.hooks = &h
	return p.hooks, nil
}

func (p *isolateStores) isOddball(w heap.Word) bool {
	t, err := p.r.Type(w)
	return err == nil && t == p.l.At(layout.TypeOddball)
}

// watch calls f with what it finds to be current, until f is content or the time is over.
func (p *looked) watch(d time.Duration, f func(current) bool) {
	now := &isolateStores{r: p.r, l: p.l, at: p.at}
	for end := time.Now().Add(d); time.Now().Before(end); time.Sleep(watchEvery) {
		if c, ok := now.current(); ok && f(c) {
			return
		}
	}
}

// saw corrects what version and options tell by what is seen, which is proof.
func (p *looked) saw(c current) {
	p.Frame = ContextFrame{On: c.frame != 0, Seen: true, Why: "seen in the process"}
}

// watchFrame looks for stores, to see where they are. The comparison is with what it saw.
func (p *looked) watchFrame() verify.Comparison {
	var right []layout.Field
	seen := verify.Comparison{
		What: "stores", Run: func(*heap.Reader, uint64) ([]layout.Field, error) { return right, nil },
	}
	if requireContext(p.l) != nil {
		return seen
	}
	p.watch(watchShort, func(c current) bool {
		var err error
		if c.frame != 0 {
			if right, err = verify.AsyncContextFrame(p.r, c.frame); err != nil {
				return false
			}
		}
		p.saw(c)
		return true
	})
	return seen
}

// stores reads the first stores that are current.
func (p *looked) stores() []Store {
	var out []Store
	reader := &storeReader{r: p.r, l: p.l}
	p.watch(watchLong, func(c current) bool {
		p.saw(c)
		out = reader.stores(c.stores)
		return len(out) > 0
	})
	return out
}
