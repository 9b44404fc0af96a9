package context

import (
	"github.com/hotspan/hotspan/v8/heap"
	"github.com/hotspan/hotspan/v8/layout"
)

// SymbolKind says what a resource keeps under a symbol.
type SymbolKind uint8

// The kinds of symbols.
const (
	OtherSymbol   SymbolKind = iota
	StoreSymbol              // the store of an AsyncLocalStorage, each of which has such a symbol of its own
	PublicSymbol             // the resource that stands for this one: an HTTP parser serves one request after the other
	ContextSymbol            // the object that has the stores, since Node 24.20
)

// The descriptions of these symbols. (node: lib/internal/async_local_storage/async_hooks.js, until Node 22
// lib/async_hooks.js; src/env_properties.h; lib/internal/async_hooks.js)
var symbolKinds = map[string]SymbolKind{
	"kResourceStore":            StoreSymbol,
	"resource_symbol":           PublicSymbol,
	"kAsyncLocalStorageContext": ContextSymbol,
}

// MaxStores bounds the stores of one resource.
const MaxStores = 64

// Resource is what objects of one hidden class have where they are the resource of an asynchronous operation. Slots are
// as in Shape, 0 for none.
type Resource struct {
	Descriptors uint64
	Own         uint32 // number of own descriptors, in its place in the class's bit field
	Public      uint16
	Context     uint16
	Stores      []uint16
}

// Resource learns a hidden class of resources, and what the stores of the object, if it is still of that class, lead to.
func (l *Learner) Resource(object, class heap.Word) (Resource, Lesson, error) {
	out := Lesson{Shapes: map[heap.Word]Shape{}}
	s, err := l.r.Shape(class)
	if err != nil {
		return Resource{}, out, err
	}
	object, now, err := l.r.Forwarded(object)
	alive := err == nil && now == class
	resource := Resource{Descriptors: uint64(s.Descriptors), Own: l.own(s)}
	for _, p := range s.Properties {
		kind, slot := l.symbolKind(p), slotNumber(p.Slot)
		switch {
		case slot == 0:
		case kind == PublicSymbol:
			resource.Public = slot
		case kind == ContextSymbol:
			resource.Context = slot
		case kind == StoreSymbol && len(resource.Stores) < MaxStores:
			resource.Stores = append(resource.Stores, slot)
			if value, err := l.r.Property(object, p.Slot); alive && err == nil {
				l.visit(0, value, &out)
			}
		}
	}
	return resource, out, nil
}

func (l *Learner) symbolKind(p heap.Property) SymbolKind {
	if !p.Symbol {
		return OtherSymbol
	}
	return symbolKinds[p.Name]
}

// own is the number of a hidden class's own descriptors, in its place in the bit field.
func (l *Learner) own(s *heap.Shape) uint32 {
	return uint32(s.Own) << l.r.Layout().At(layout.BitField3OwnDescriptorsBit)
}

// Symbol learns the kind of a symbol that is the key of a resource's property.
func (l *Learner) Symbol(symbol heap.Word) (SymbolKind, error) {
	name, is, err := l.r.Key(symbol)
	if err != nil || !is {
		return OtherSymbol, err
	}
	return symbolKinds[name], nil
}

// slotNumber is a slot as the program takes it; 0 if that cannot be.
func slotNumber(s heap.Slot) uint16 {
	switch {
	case s.Index >= SlotOutOfLine:
		return 0
	case s.OutOfLine:
		return uint16(s.Index) | SlotOutOfLine
	}
	return uint16(s.Index)
}

// AsyncHooks finds those of an isolate: see AsyncHooksOf.
func (l *Learner) AsyncHooks(isolate uint64, context heap.Word) (AsyncHooks, error) {
	return AsyncHooksOf(l.r, isolate, context)
}
