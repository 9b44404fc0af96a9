package labels

import (
	"errors"
	"time"

	"github.com/hotspan/hotspan/agent/internal/bpf"
	"github.com/hotspan/hotspan/context/nodejs"
	"github.com/hotspan/hotspan/v8/heap"
	"github.com/hotspan/hotspan/v8/layout"
)

// Requests about an isolate are tried again for so long, and so often: one that has just started has no Environment
// yet, and one may have no current context, which leads there.
const (
	environmentTimeout = 2 * time.Second
	environmentTries   = 100
)

// maxIsolates bounds the isolates that are known of a process: worker threads come and go.
const maxIsolates = 256

// learnHooks answers the requests for stores in the resources of async_hooks.
func (p *Learner) learnHooks(thread uint32, kind uint8, first, second uint64) error {
	switch kind {
	case bpf.ContextLearnIsolate:
		return p.learnIsolate(bpf.EnvironmentKey{Process: p.id, Tid: thread, Isolate: first}, heap.Word(second))
	case bpf.ContextLearnResource:
		return p.learnResource(bpf.ShapeKey{Process: p.id, Thread: thread, HiddenClass: first, MarkCompacts: second})
	}
	return nil
}

// learnIsolate finds the async_hooks of the isolate that the sample's thread has entered.
func (p *Learner) learnIsolate(key bpf.EnvironmentKey, context heap.Word) error {
	i := p.isolate(key)
	err, asked := i.find(p.heap, key.Isolate, context), time.Since(i.asked)
	switch {
	case err == nil:
		return p.sampler.SetEnvironment(key, p.environment(i.hooks, asked))
	case errors.Is(err, nodejs.ErrNoEnvironment) && i.tries >= environmentTries && asked > environmentTimeout:
		p.tellUnknown(err)
		lost := one(errors.Is(err, nodejs.ErrUnknownHooks))
		return errors.Join(err, p.sampler.SetEnvironment(key, bpf.AsyncHooks{Lost: lost}))
	}
	return err
}

// environment is what the BPF program is told of async_hooks that were asked for so long ago. There is no function for
// promises before an AsyncLocalStorage is used.
func (p *Learner) environment(h nodejs.AsyncHooks, asked time.Duration) bpf.AsyncHooks {
	out := bpf.AsyncHooks{
		Fields: h.Fields, Resources: h.Resources, Natives: h.NativeResources, Deque: one(h.Deque),
		Hook: h.TopLevel.Hook, TopLevel: uint16(h.TopLevel.Slot), Words: uint16(h.TopLevel.Words),
	}
	switch {
	case out.Hook != 0:
		out.HookContext = uint32(p.heap.Layout().At(layout.JSFunctionContext))
	case asked > environmentTimeout:
		out.Hook = h.Fields // it is not asked for again
	}
	return out
}

// tellUnknown warns, once for a process, of async_hooks that are not where they are known to be.
func (p *Learner) tellUnknown(err error) {
	if p.told || !errors.Is(err, nodejs.ErrUnknownHooks) {
		return
	}
	p.told = true
	p.log.Warn("stores of async_hooks are not found: samples have no labels from them", "pid", p.pid, "why", err)
}

// isolate returns what is known of an isolate that is asked about.
func (p *Learner) isolate(key bpf.EnvironmentKey) *isolate {
	i, again := p.isolates[key]
	if again {
		return i
	}
	if p.isolates == nil || len(p.isolates) >= maxIsolates {
		p.isolates = map[bpf.EnvironmentKey]*isolate{}
	}
	i = &isolate{asked: time.Now()}
	p.isolates[key] = i
	return i
}

func one(yes bool) uint32 {
	if yes {
		return 1
	}
	return 0
}

// learnResource reads the hidden class of a resource.
func (p *Learner) learnResource(key bpf.ShapeKey) error {
	r, err := nodejs.FindResourceShape(p.heap, heap.Word(key.HiddenClass))
	if err != nil {
		return err
	}
	out := bpf.Resource{
		Descriptors: r.Descriptors, Own: r.OwnDescriptors,
		PublicSlot: r.Public, ContextSlot: r.Context, N_stores: uint16(len(r.Stores)),
	}
	copy(out.Stores[:], r.Stores)
	return p.sampler.SetResource(key, out)
}
