package context

import "github.com/hotspan/hotspan/v8/heap"

// MaxStores bounds the stores of one resource that are read.
const MaxStores = 64

// ResourceShape says where the objects of one hidden class have what leads to their stores, if they are resources of
// async_hooks. Descriptors, OwnDescriptors and slots are as in Shape.
type ResourceShape struct {
	Descriptors    uint64
	OwnDescriptors uint32
	Public         uint16   // slot of the public resource
	Context        uint16   // slot of the object that has the stores
	Stores         []uint16 // slots of stores, at most MaxStores
}

// ResourceShape finds the shape of a hidden class of resources, and the shapes behind the stores of the object, if it
// still has that hidden class. The error says why the memory cannot be read as a hidden class.
func (l *Learner) ResourceShape(object, hiddenClass heap.Word) (ResourceShape, ShapeUpdate, error) {
	update := newShapeUpdate()
	s, err := l.r.Shape(hiddenClass)
	if err != nil {
		return ResourceShape{}, update, err
	}
	object, now, err := l.r.Forwarded(object)
	alive := err == nil && now == hiddenClass
	out := ResourceShape{Descriptors: uint64(s.Descriptors), OwnDescriptors: ownDescriptors(l.r, s)}
	for _, p := range s.Properties {
		kind, slot := propertyKind(l.r, p), slotNumber(p.Slot)
		switch {
		case slot == 0:
		case kind == PublicSymbol:
			out.Public = slot
		case kind == ContextSymbol:
			out.Context = slot
		case kind == StoreSymbol && len(out.Stores) < MaxStores:
			out.Stores = append(out.Stores, slot)
			if value, err := l.r.Property(object, p.Slot); alive && err == nil {
				l.visit(0, value, &update)
			}
		}
	}
	return out, update, nil
}

func propertyKind(r *heap.Reader, p heap.Property) SymbolKind {
	if !p.Symbol {
		return OtherSymbol
	}
	return symbolKind(r.Layout(), p.Name)
}

// SymbolKind finds what a resource keeps under a symbol that is the key of one of its properties. It is OtherSymbol for
// a key that is a string. The error says why the memory cannot be read as either.
func (l *Learner) SymbolKind(symbol heap.Word) (SymbolKind, error) {
	name, is, err := l.r.Key(symbol)
	if err != nil || !is {
		return OtherSymbol, err
	}
	return symbolKind(l.r.Layout(), name), nil
}
