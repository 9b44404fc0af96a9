package nodejs

import (
	"github.com/hotspan/hotspan/v8/heap"
	"github.com/hotspan/hotspan/v8/layout"
)

// MaxStores bounds the stores of one resource that are read.
const MaxStores = 64

// ResourceShape says where the objects of one hidden class have what leads to their stores, if they are resources of
// async_hooks. The BPF program uses it only while the hidden class still has the same descriptors, and as many of them,
// since V8 reuses addresses.
type ResourceShape struct {
	Descriptors    uint64   // tagged address of the hidden class's descriptor array
	OwnDescriptors uint32   // how many of them are its own, shifted to their place in Map::bit_field3
	Public         uint16   // slot of the public resource
	Context        uint16   // slot of the object that has the stores
	Stores         []uint16 // slots of stores, at most MaxStores
}

// A slot of a ResourceShape is the index of a word of the object, from 1 on, since word 0 is the hidden class. With
// SlotOutOfLine added it is an index in the property array, from 0 on.
const SlotOutOfLine = 0x8000

// FindResourceShape finds the shape of a hidden class of resources. The error says why the memory cannot be read as a
// hidden class.
func FindResourceShape(r *heap.Reader, hiddenClass heap.Word) (ResourceShape, error) {
	s, err := r.Shape(hiddenClass)
	if err != nil {
		return ResourceShape{}, err
	}
	own := uint32(s.Own) << r.Layout().At(layout.BitField3OwnDescriptorsBit)
	out := ResourceShape{Descriptors: uint64(s.Descriptors), OwnDescriptors: own}
	for _, p := range s.Properties {
		kind, slot := propertyKind(r, p), slotNumber(p.Slot)
		switch {
		case slot == 0:
		case kind == PublicSymbol:
			out.Public = slot
		case kind == ContextSymbol:
			out.Context = slot
		case kind == StoreSymbol && len(out.Stores) < MaxStores:
			out.Stores = append(out.Stores, slot)
		}
	}
	return out, nil
}

// slotNumber is 0 for a slot that does not fit.
func slotNumber(s heap.Slot) uint16 {
	switch {
	case s.Index >= SlotOutOfLine:
		return 0
	case s.OutOfLine:
		return uint16(s.Index) | SlotOutOfLine
	}
	return uint16(s.Index)
}

func propertyKind(r *heap.Reader, p heap.Property) SymbolKind {
	if !p.Symbol {
		return OtherSymbol
	}
	return symbolKind(r.Layout(), p.Name)
}
