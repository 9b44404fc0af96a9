package heap

import (
	"cmp"
	"fmt"

	"github.com/hotspan/hotspan/v8/layout"
)

// maxProperties is V8's own limit of descriptors of one hidden class (kMaxNumberOfDescriptors).
const maxProperties = 1020

// Slot is where an object keeps a property: a word of the object, or an element of its property array.
type Slot struct {
	Index     int
	OutOfLine bool
}

// Property is a data property that objects of a hidden class have.
type Property struct {
	Name   string // of a symbol its description; of a private name, with its #
	Symbol bool
	Slot   Slot
	Secret bool // a symbol that is a private name of a class
}

// Shape is what a hidden class says of its objects. (src/objects/map.h)
type Shape struct {
	Type        int  // instance type
	Descriptors Word // DescriptorArray; with Own it tells a hidden class from a later one at the same address
	Own         int  // number of descriptors that are this hidden class's
	Dictionary  bool // properties are in a dictionary, not in slots
	Properties  []Property
}

// Shape reads a hidden class.
func (r *Reader) Shape(hiddenClass Word) (*Shape, error) {
	s, err := r.shape(hiddenClass)
	if err != nil || s.Dictionary || s.Own > maxProperties {
		return s, err
	}
	s.Properties, err = r.properties(hiddenClass, s)
	return s, err
}

// shapeLimits checks what Shape uses as indices, shifts and sizes.
func (r *Reader) shapeLimits() error {
	return cmp.Or(
		r.l.Within(0, 15, layout.MapInstanceSizeInWords, layout.MapInObjectStartInWords),
		r.l.Within(0, 31, layout.BitField3DictionaryMapBit, layout.DetailsLocationBit, layout.DetailsFieldIndexShift),
		r.l.Within(0, 22, layout.BitField3OwnDescriptorsBit),
		r.l.Within(8, 256, layout.DescriptorsHeader), r.l.Within(16, 256, layout.DescriptorsEntrySize))
}

// shape reads a hidden class but for the properties.
func (r *Reader) shape(hiddenClass Word) (*Shape, error) {
	if err := r.shapeLimits(); err != nil {
		return nil, err
	}
	if err := r.want(hiddenClass, layout.TypeMap); err != nil {
		return nil, err
	}
	s := &Shape{}
	var err error
	if s.Type, err = r.TypeOf(hiddenClass); err != nil {
		return nil, err
	}
	bits, err := r.u32(hiddenClass, layout.MapBitField3)
	if err != nil {
		return nil, err
	}
	s.Dictionary = bits>>r.l.At(layout.BitField3DictionaryMapBit)&1 == 1
	s.Own = int(bits >> r.l.At(layout.BitField3OwnDescriptorsBit) & 0x3ff)
	if s.Descriptors, err = r.field(hiddenClass, layout.MapDescriptors); err != nil {
		return nil, err
	}
	return s, nil
}

// descriptor is what a hidden class has of a property. (src/objects/descriptor-array.h)
type descriptor struct {
	key, details, value Word
	slot                Slot
	inSlot              bool // else it is an accessor or a constant, and the value is here
}

// descriptors reads those of a hidden class that are its own, whose number the caller has bounded.
func (r *Reader) descriptors(hiddenClass Word, s *Shape) ([]descriptor, error) {
	sizes, err := r.Bytes(hiddenClass.address(), 16)
	if err != nil {
		return nil, err
	}
	start := int(sizes[r.l.At(layout.MapInObjectStartInWords)])
	inside := int(sizes[r.l.At(layout.MapInstanceSizeInWords)]) - start
	size := r.l.At(layout.DescriptorsEntrySize)
	b, err := r.Bytes(s.Descriptors.address()+uint64(r.l.At(layout.DescriptorsHeader)), s.Own*size)
	if err != nil || size < 24 {
		return nil, err
	}
	out := make([]descriptor, 0, s.Own)
	for ; len(b) >= size; b = b[size:] {
		d := descriptor{key: wordAt(b, 0), details: wordAt(b, 1), value: wordAt(b, 2)}
		d.slot, d.inSlot = r.slot(d.details, start, inside)
		out = append(out, d)
	}
	return out, nil
}

func (r *Reader) properties(hiddenClass Word, s *Shape) ([]Property, error) {
	all, err := r.descriptors(hiddenClass, s)
	if err != nil {
		return nil, err
	}
	var out []Property
	for _, d := range all {
		if !d.inSlot {
			continue
		}
		p := Property{Slot: d.slot}
		if p.Name, p.Symbol, err = r.Key(d.key); err != nil {
			continue
		}
		_, p.Secret = r.symbolFlags(d.key, p.Symbol)
		out = append(out, p)
	}
	return out, nil
}

// slot takes a descriptor's details apart: accessors and constants have no slot. (src/objects/property-details.h)
func (r *Reader) slot(details Word, start, inside int) (Slot, bool) {
	if !details.IsSmi() {
		return Slot{}, false
	}
	d := uint32(details.Smi())
	if d&1 != 0 || d>>r.l.At(layout.DetailsLocationBit)&1 != 0 {
		return Slot{}, false
	}
	i := int(d >> r.l.At(layout.DetailsFieldIndexShift) & 0x3ff)
	if i < inside {
		return Slot{Index: start + i}, true
	}
	return Slot{Index: i - inside, OutOfLine: true}, true
}

// Property reads the value of a slot.
func (r *Reader) Property(object Word, s Slot) (Word, error) {
	object, _, err := r.Forwarded(object)
	if err != nil {
		return 0, err
	}
	if !s.OutOfLine {
		return r.WordAt(object.address() + 8*uint64(s.Index))
	}
	array, err := r.field(object, layout.JSReceiverPropertiesOrHash)
	if err != nil || !array.IsObject() {
		return 0, fmt.Errorf("object 0x%x has no property array", uint64(object))
	}
	return r.WordAt(array.address() + uint64(r.l.At(layout.PropertyArrayData)) + 8*uint64(s.Index))
}

// Named reads the property of an object that has a name, private names included.
func (r *Reader) Named(object Word, name string) (Word, error) {
	_, hiddenClass, err := r.Forwarded(object)
	if err != nil {
		return 0, err
	}
	s, err := r.Shape(hiddenClass)
	if err != nil {
		return 0, err
	}
	for _, p := range s.Properties {
		if p.Name == name {
			return r.Property(object, p.Slot)
		}
	}
	return 0, fmt.Errorf("property %s: %w", name, ErrNotFound)
}
