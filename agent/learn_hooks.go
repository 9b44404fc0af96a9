package agent

import (
	"errors"
	"time"

	"github.com/hotspan/hotspan/agent/internal/bpf"
	reqctx "github.com/hotspan/hotspan/context"
	"github.com/hotspan/hotspan/v8/heap"
	"github.com/hotspan/hotspan/v8/layout"
)

// hooksFields are what reading the request from async_hooks cannot do without.
var hooksFields = []layout.Field{
	layout.IsolateContext, layout.MapBitField3, layout.MapDescriptors, layout.MapConstructorOrBackPointer,
	layout.BitField3DictionaryMapBit, layout.JSReceiverPropertiesOrHash, layout.PropertyArrayData, layout.TypePropertyArray,
	layout.JSObjectElements, layout.JSArrayLength, layout.FixedArrayData, layout.NameDictionaryPrefix, layout.NameHash,
	layout.TypeJSMap, layout.JSMapTable, layout.TypeJSArray, layout.TypeSymbol, layout.TypeOddball,
	layout.FirstJSObjectType, layout.NativeContextEmbedderData, layout.EmbedderDataFirst, layout.DescriptorsHeader,
	layout.MapInstanceSizeInWords, layout.MapInObjectStartInWords, layout.BitField3OwnDescriptorsBit,
	layout.DetailsLocationBit, layout.DetailsFieldIndexShift,
}

// requireContext says what is missing to read the request, if it can be read neither from frames nor from resources.
func requireContext(l *layout.Layout) error {
	if l.Require(contextFields...) == nil {
		return nil
	}
	return l.Require(hooksFields...)
}

// patience is how long an isolate is looked at again and again: one that has just started has no Environment yet.
const patience = 2 * time.Second

// Limits of what the program is told of one process. Isolates and hidden classes come and go: over it they are learnt anew.
const (
	maxIsolates  = 256
	maxResources = 1024
	maxSymbols   = 1024
)

// learnHooks learns what is asked for where stores are kept in the resources of async_hooks.
func (a *Agent) learnHooks(p *pupil, thread uint32, kind uint8, first, second uint64) error {
	switch kind {
	case bpf.ContextLearnIsolate:
		return a.learnIsolate(p, bpf.EnvironmentKey{Process: p.id, Tid: thread, Isolate: first}, heap.Word(second))
	case bpf.ContextLearnResource:
		return a.learnResource(p, heap.Word(first), heap.Word(second))
	case bpf.ContextLearnSymbol:
		return a.learnSymbol(p, heap.Word(first), uint32(second))
	}
	return nil
}

// learnIsolate finds the async_hooks of the isolate that the sample's thread has entered.
func (a *Agent) learnIsolate(p *pupil, key bpf.EnvironmentKey, context heap.Word) error {
	asked := p.askedFor(key)
	h, err := p.learner.AsyncHooks(key.Isolate, context)
	if err != nil && context != 0 { // which may have moved
		h, err = p.learner.AsyncHooks(key.Isolate, 0)
	}
	switch {
	case err == nil:
		return a.sampler.SetEnvironment(key, bpf.AsyncHooks{Fields: h.Fields, Resources: h.Resources, Natives: h.Natives, Deque: one(h.Deque)})
	case errors.Is(err, reqctx.ErrNoEnvironment) && time.Since(asked) > patience:
		return errors.Join(err, a.sampler.SetEnvironment(key, bpf.AsyncHooks{}))
	}
	return err
}

// askedFor is when an isolate was asked for first.
func (p *pupil) askedFor(key bpf.EnvironmentKey) time.Time {
	asked, again := p.isolates[key]
	if again {
		return asked
	}
	if p.isolates == nil || len(p.isolates) >= maxIsolates {
		p.isolates = map[bpf.EnvironmentKey]time.Time{}
	}
	asked = time.Now()
	p.isolates[key] = asked
	return asked
}

func one(yes bool) uint32 {
	if yes {
		return 1
	}
	return 0
}

// learnResource learns the hidden class of a resource, and what its stores lead to.
func (a *Agent) learnResource(p *pupil, object, class heap.Word) error {
	r, lesson, err := p.learner.Resource(object, class)
	if err != nil {
		return err
	}
	out := bpf.Resource{
		Descriptors: r.Descriptors, Own: r.Own,
		PublicSlot: r.Public, ContextSlot: r.Context, N_stores: uint16(len(r.Stores)),
	}
	copy(out.Stores[:], r.Stores)
	if err := a.sampler.SetResource(p.id, uint64(class), out); err != nil {
		return err
	}
	return a.take(p, lesson)
}

func (a *Agent) learnSymbol(p *pupil, symbol heap.Word, hash uint32) error {
	kind, err := p.learner.Symbol(symbol)
	if err != nil {
		return err
	}
	return a.sampler.SetSymbol(p.id, hash, symbolKinds[kind])
}

var symbolKinds = [...]uint32{
	reqctx.OtherSymbol:   bpf.SymbolOther,
	reqctx.StoreSymbol:   bpf.SymbolStore,
	reqctx.PublicSymbol:  bpf.SymbolPublic,
	reqctx.ContextSymbol: bpf.SymbolContext,
}
