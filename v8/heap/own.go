package heap

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/hotspan/hotspan/v8/layout"
)

// Own is a property that an object has itself.
type Own struct {
	Key        Word
	Value      Word // of an accessor the AccessorPair or AccessorInfo
	Accessor   bool
	Enumerable bool
	Order      int // the number of an element, or the place of a property among those of a dictionary
}

// dontEnum is the bit of PropertyDetails by which a property is not enumerable. What comes before it moved when the
// location did. (src/objects/property-details.h: the second of three attributes, behind kind, location and constness,
// or behind kind and constness)
func (r *Reader) dontEnum() uint {
	if r.l.At(layout.DetailsLocationBit) == 1 {
		return 4
	}
	return 3
}

// dictionaryOrder is the shift of a property's number in the details of a dictionary; it has 23 bits.
// (src/objects/property-details.h, DictionaryStorageField)
const dictionaryOrder = 8

// maxDictionary bounds the entries of an object in dictionary mode, used and not; the key of each is read by itself.
const maxDictionary = 1 << 16

// Own reads the properties of an object in the order in which they were made; elements are not among them.
func (r *Reader) Own(object Word) ([]Own, error) {
	object, hiddenClass, err := r.Forwarded(object)
	if err != nil {
		return nil, err
	}
	s, err := r.shape(hiddenClass)
	if err != nil {
		return nil, err
	}
	if s.Dictionary {
		return r.ownInDictionary(object)
	}
	if s.Own > maxProperties {
		return nil, fmt.Errorf("object 0x%x: %d properties", uint64(object), s.Own)
	}
	all, err := r.descriptors(hiddenClass, s)
	if err != nil {
		return nil, err
	}
	var out []Own
	for _, has := range all {
		if !has.details.IsSmi() {
			return nil, fmt.Errorf("object 0x%x: details 0x%x of a property", uint64(object), uint64(has.details))
		}
		d := uint(uint32(has.details.Smi()))
		p := Own{Key: has.key, Value: has.value.Strong(), Accessor: d&1 != 0, Enumerable: d>>r.dontEnum()&1 == 0}
		if has.inSlot {
			if p.Value, err = r.Property(object, has.slot); err != nil {
				return nil, err
			}
		}
		out = append(out, p)
	}
	return out, nil
}

func (r *Reader) ownInDictionary(object Word) ([]Own, error) {
	var out []Own
	err := r.dictionary(object, maxDictionary, func(key, value, details Word) {
		if typ, err := r.Type(key); err != nil || typ > r.l.At(layout.TypeSymbol) || !details.IsSmi() {
			return // empty or deleted
		}
		out = append(out, r.inDictionary(key, value, details))
	})
	inOrder(out)
	return out, err
}

// inDictionary is a property of a dictionary, by its details.
func (r *Reader) inDictionary(key, value, details Word) Own {
	d := uint(uint32(details.Smi()))
	return Own{Key: key, Value: value, Accessor: d&1 != 0, Enumerable: d>>r.dontEnum()&1 == 0,
		Order: int(d >> dictionaryOrder & (1<<23 - 1))}
}

func inOrder(all []Own) { slices.SortStableFunc(all, func(a, b Own) int { return a.Order - b.Order }) }

// Prototype is the prototype of the objects of a hidden class. It is in the word before the constructor.
// (src/objects/map.tq)
func (r *Reader) Prototype(hiddenClass Word) (Word, error) {
	at := r.l.At(layout.MapConstructorOrBackPointer)
	if at < 8 || !hiddenClass.IsObject() {
		return 0, fmt.Errorf("hidden class 0x%x: prototype not known", uint64(hiddenClass))
	}
	return r.WordAt(hiddenClass.address() + uint64(at) - 8)
}

// Elements is the backing store of an object's elements, and its length. length of an array is its own, which may be
// less.
func (r *Reader) Elements(object Word) (store Word, room int, err error) {
	object, _, err = r.Forwarded(object)
	if err != nil {
		return 0, 0, err
	}
	if store, err = r.field(object, layout.JSObjectElements); err != nil {
		return 0, 0, err
	}
	if store, _, err = r.Forwarded(store); err != nil {
		return 0, 0, err
	}
	room, err = r.StoreLength(store)
	return store, room, err
}

// StoreLength is the room in a backing store.
func (r *Reader) StoreLength(store Word) (int, error) {
	n, err := r.field(store, layout.FixedArrayLength)
	if err != nil || !n.IsSmi() || n.Smi() < 0 {
		return 0, fmt.Errorf("elements 0x%x: length 0x%x", uint64(store), uint64(n))
	}
	return n.Smi(), nil
}

// ElementWord reads a word of a backing store: a tagged value, or the bits of a number.
func (r *Reader) ElementWord(store Word, i int) (Word, error) {
	return r.WordAt(store.address() + uint64(r.l.At(layout.FixedArrayData)) + 8*uint64(i))
}

// ArrayLength is the length of a JSArray.
func (r *Reader) ArrayLength(array Word) (int, error) {
	array, _, err := r.Forwarded(array)
	if err != nil {
		return 0, err
	}
	n, err := r.field(array, layout.JSArrayLength)
	if err != nil {
		return 0, err
	}
	length, ok := r.index(n)
	if !ok {
		return 0, fmt.Errorf("array 0x%x: length 0x%x", uint64(array), uint64(n))
	}
	return length, nil
}

// index is the number of an element or a length: a Smi, or a HeapNumber where it is larger.
func (r *Reader) index(w Word) (n int, ok bool) {
	if w.IsSmi() {
		return w.Smi(), w.Smi() >= 0
	}
	bits, err := r.Number(w)
	f := math.Float64frombits(uint64(bits))
	return int(f), err == nil && f >= 0 && f < 1<<32
}

// Number is the value of a HeapNumber.
func (r *Reader) Number(w Word) (bits Word, err error) {
	if err := r.want(w, layout.TypeHeapNumber); err != nil {
		return 0, err
	}
	object, _, err := r.Forwarded(w)
	if err != nil {
		return 0, err
	}
	return r.field(object, layout.HeapNumberValue)
}

// OddballText is how JavaScript writes undefined, null, true or false.
func (r *Reader) OddballText(w Word) (string, error) {
	if err := r.want(w, layout.TypeOddball); err != nil {
		return "", err
	}
	text, err := r.field(w, layout.OddballToString)
	if err != nil {
		return "", err
	}
	return r.String(text, maxName)
}

// StringUnits is the length of a string in UTF-16 units. The error may say that it is none.
func (r *Reader) StringUnits(w Word) (int, error) {
	w, hiddenClass, err := r.Forwarded(w)
	if err != nil {
		return 0, err
	}
	if typ, err := r.TypeOf(hiddenClass); err != nil || typ >= r.l.At(layout.FirstNonStringType) {
		return 0, cmp.Or(err, fmt.Errorf("0x%x: not a string", uint64(w)))
	}
	n, err := r.u32(w, layout.StringLength)
	return int(n), err
}

// SymbolText is the description of a symbol; ok is false where it has none. secret says that it is not visible to
// JavaScript.
func (r *Reader) SymbolText(w Word) (text string, ok, secret bool, err error) {
	if err := r.want(w, layout.TypeSymbol); err != nil {
		return "", false, false, err
	}
	d, err := r.field(w, layout.SymbolDescription)
	if err != nil {
		return "", false, false, err
	}
	flags, err := r.u32(w, layout.SymbolFlags)
	if err != nil {
		return "", false, false, err
	}
	secret = flags&1 == 1 || flags>>max(0, r.l.At(layout.SymbolPrivateBit))&1 == 1
	if typ, err := r.Type(d); err != nil || typ >= r.l.At(layout.FirstNonStringType) {
		return "", false, secret, err
	}
	text, err = r.Name(d)
	return text, true, secret, err
}

// IsHole reports whether a word is the Oddball that stands for no element. From V8 11.8 on the hole is no Oddball.
func (r *Reader) IsHole(w Word) bool {
	if !r.l.Has(layout.OddballHole) || r.want(w, layout.TypeOddball) != nil {
		return false
	}
	kind, err := r.field(w, layout.OddballKind)
	return err == nil && kind.IsSmi() && kind.Smi() == r.l.At(layout.OddballHole)
}
