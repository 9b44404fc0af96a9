package heap

import (
	"github.com/hotspan/hotspan/v8/layout"
)

// Flags of a hidden class: in its first byte of bits whether the prototype that its functions give is no object, and
// whether they have room for one; in the second one whether objects were made by new without another class in between.
// (src/objects/map.h)
const (
	nonInstancePrototype = 1 << 0
	prototypeSlot        = 1 << 7
	newTargetIsBase      = 1 << 0
)

// MadePrototype is the prototype of what a function makes: its property prototype; 0 if that is no object. It is in the
// last word before properties, in the hidden class of what the function has made if there is one.
// (src/objects/js-function.tq, prototype_or_initial_map)
func (r *Reader) MadePrototype(function Word) (Word, error) {
	function, _, err := r.Forwarded(function)
	if err != nil {
		return 0, err
	}
	flags, err := r.mapByte(function, layout.MapBitField)
	if err != nil || flags&prototypeSlot == 0 || flags&nonInstancePrototype != 0 {
		return 0, err
	}
	words, err := r.mapByte(function, layout.MapInObjectStartInWords)
	if err != nil || words == 0 {
		return 0, err
	}
	w, err := r.WordAt(function.address() + 8*uint64(words-1))
	if err != nil || !w.IsObject() {
		return 0, err
	}
	w, hiddenClass, err := r.Forwarded(w)
	if err != nil {
		return 0, err
	}
	switch typ, err := r.TypeOf(hiddenClass); {
	case err != nil || typ < r.l.At(layout.FirstJSObjectType) && typ != r.l.At(layout.TypeMap):
		return 0, err // the hole: nothing has asked for it yet
	case typ == r.l.At(layout.TypeMap):
		w, err = r.Prototype(w)
		return w, err
	}
	return w, nil
}

// maxTransitions bounds the hidden classes between that of an object and the first one that its function made.
const maxTransitions = 1 << 12

// MakerOf is the name of the function by which objects of a hidden class were made, whatever their prototypes are now;
// empty where V8 does not tell: of prototypes, and of a class that extends another one. (src/objects/js-objects.cc,
// GetConstructorHelper)
func (r *Reader) MakerOf(hiddenClass Word) (string, error) {
	second, bits := r.l.At(layout.MapElementsKind), r.l.At(layout.BitField3DictionaryMapBit)
	if second < 0 || bits < 1 {
		return "", nil
	}
	flags, err := r.Bytes(hiddenClass.address()+uint64(second), 1)
	if err != nil || flags[0]&newTargetIsBase == 0 {
		return "", err
	}
	more, err := r.u32(hiddenClass, layout.MapBitField3)
	if err != nil || more>>(bits-1)&1 == 1 { // it is of a prototype: the bit before that of dictionaries
		return "", err
	}
	w := hiddenClass
	for range maxTransitions {
		if w, err = r.field(w, layout.MapConstructorOrBackPointer); err != nil || !w.IsObject() {
			return "", err
		}
		typ, err := r.Type(w)
		switch {
		case err != nil:
			return "", err
		case typ == r.l.At(layout.TypeMap):
		case typ < r.l.At(layout.TypeJSFunctionFirst) || typ > r.l.At(layout.TypeJSFunctionLast):
			return "", nil
		default:
			shared, err := r.Shared(w)
			if err != nil {
				return "", err
			}
			f, err := r.Function(shared)
			if err != nil {
				return "", err
			}
			return f.Name, nil
		}
	}
	return "", nil
}
