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
	layout.BitField3DictionaryMapBit, layout.JSReceiverPropertiesOrHash, layout.PropertyArrayData,
	layout.JSObjectElements, layout.JSArrayLength, layout.FixedArrayData, layout.NameDictionaryPrefix, layout.SymbolHash,
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

// learntHooks is what the BPF program was told of a process's async_hooks.
type learntHooks struct {
	thread    uint32                       // of the sample at hand
	resources map[uint64]bool              // by hidden class
	symbols   map[uint32]bool              // by hash
	isolates  map[bpf.IsolateKey]time.Time // when the program asked for it first
}

// patience is how long an isolate is looked at again and again: one that has just started has no Environment yet.
const patience = 2 * time.Second

// maxIsolates bounds the isolates that are remembered: workers come and go. The program forgets by itself.
const maxIsolates = 4096

// learnHooks learns what is asked for where stores are kept in the resources of async_hooks.
func (a *Agent) learnHooks(t *target, kind uint8, first, second uint64) error {
	switch kind {
	case bpf.ContextLearnIsolate:
		return a.learnIsolate(t, first, heap.Word(second))
	case bpf.ContextLearnResource:
		return a.learnResource(t, heap.Word(first), heap.Word(second))
	case bpf.ContextLearnKey:
		return a.learnKey(t, heap.Word(first), uint32(second))
	}
	return nil
}

// learnIsolate finds the async_hooks of the isolate that the sample's thread has entered.
func (a *Agent) learnIsolate(t *target, isolate uint64, context heap.Word) error {
	key := bpf.IsolateKey{Pid: uint32(t.pid), Tid: t.learnt.hooks.thread, Isolate: isolate}
	asked := t.learnt.hooks.askedFor(key)
	h, err := t.learner.AsyncHooks(isolate, context)
	if err != nil && context != 0 { // which may have moved
		h, err = t.learner.AsyncHooks(isolate, 0)
	}
	switch {
	case err == nil:
		return a.sampler.SetIsolate(key, bpf.AsyncHooks{Fields: h.Fields, Resources: h.Resources, Natives: h.Natives, Deque: one(h.Deque)})
	case errors.Is(err, reqctx.ErrNoEnvironment) && time.Since(asked) > patience:
		return errors.Join(err, a.sampler.SetIsolate(key, bpf.AsyncHooks{}))
	}
	return err
}

// askedFor is when an isolate was asked for first.
func (h *learntHooks) askedFor(key bpf.IsolateKey) time.Time {
	asked, again := h.isolates[key]
	if again {
		return asked
	}
	if h.isolates == nil || len(h.isolates) >= maxIsolates {
		h.isolates = map[bpf.IsolateKey]time.Time{}
	}
	asked = time.Now()
	h.isolates[key] = asked
	return asked
}

func one(yes bool) uint32 {
	if yes {
		return 1
	}
	return 0
}

// learnResource learns the hidden class of a resource, and what its stores lead to.
func (a *Agent) learnResource(t *target, object, class heap.Word) error {
	r, lesson, err := t.learner.Resource(object, class)
	if err != nil {
		return err
	}
	t.learnt.hooks.resources = with(t.learnt.hooks.resources, uint64(class))
	out := bpf.Resource{
		Descriptors: r.Descriptors, Own: r.Own,
		PublicSlot: r.Public, ContextSlot: r.Context, N_stores: uint16(len(r.Stores)),
	}
	copy(out.Stores[:], r.Stores)
	if err := a.sampler.SetResource(t.pid, uint64(class), out); err != nil {
		return err
	}
	return a.take(t, lesson)
}

func (a *Agent) learnKey(t *target, symbol heap.Word, hash uint32) error {
	kind, err := t.learner.Symbol(symbol)
	if err != nil {
		return err
	}
	t.learnt.hooks.symbols = with(t.learnt.hooks.symbols, hash)
	return a.sampler.SetSymbol(t.pid, hash, symbolKinds[kind])
}

// with is a set with one element more.
func with[K comparable](set map[K]bool, k K) map[K]bool {
	if set == nil {
		set = map[K]bool{}
	}
	set[k] = true
	return set
}

var symbolKinds = [...]uint32{
	reqctx.OtherSymbol:   bpf.SymbolOther,
	reqctx.StoreSymbol:   bpf.SymbolStore,
	reqctx.PublicSymbol:  bpf.SymbolPublic,
	reqctx.ContextSymbol: bpf.SymbolContext,
}

func (a *Agent) forgetHooks(t *target) {
	for class := range t.learnt.hooks.resources {
		a.sampler.RemoveResource(t.pid, class)
	}
	for hash := range t.learnt.hooks.symbols {
		a.sampler.RemoveSymbol(t.pid, hash)
	}
	for key := range t.learnt.hooks.isolates {
		a.sampler.RemoveIsolate(key)
	}
}
