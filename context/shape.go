package context

import (
	"github.com/hotspan/hotspan/v8/heap"
	"github.com/hotspan/hotspan/v8/layout"
)

// Shape says where the objects of one hidden class have the properties that rules name. The BPF program uses a shape
// only while the hidden class still has the same descriptors, and as many of them, since V8 reuses addresses.
type Shape struct {
	Descriptors    uint64           // tagged address of the hidden class's descriptor array
	OwnDescriptors uint32           // how many of them are its own, shifted to their place in Map::bit_field3
	Slots          [MaxNames]uint16 // by index in Tree.Names; 0 = no such property
}

// A slot of a Shape or ResourceShape is the index of a word of the object, from 1 on, since word 0 is the hidden class.
// With SlotOutOfLine added it is an index in the property array, from 0 on.
const SlotOutOfLine = 0x8000

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

// ownDescriptors shifts the number of own descriptors to its place in Map::bit_field3.
func ownDescriptors(r *heap.Reader, s *heap.Shape) uint32 {
	return uint32(s.Own) << r.Layout().At(layout.BitField3OwnDescriptorsBit)
}

// ShapeUpdate has shapes that the BPF program does not know yet.
type ShapeUpdate struct {
	Shapes map[heap.Word]Shape // by hidden class
	visits int
}

func newShapeUpdate() ShapeUpdate { return ShapeUpdate{Shapes: map[heap.Word]Shape{}} }
