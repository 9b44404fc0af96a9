package heap

import (
	"github.com/hotspan/hotspan/v8/layout"
)

// Key reads a property key: a string, or a symbol's description.
func (r *Reader) Key(w Word) (name string, symbol bool, err error) {
	typ, err := r.Type(w)
	if err != nil {
		return "", false, err
	}
	if typ == r.l.At(layout.TypeSymbol) {
		d, err := r.field(w, layout.SymbolDescription)
		if err != nil {
			return "", true, err
		}
		name, err = r.String(d, maxName)
		return name, true, err
	}
	name, err = r.String(w, maxName)
	return name, false, err
}

// symbolFlags says whether a symbol is one of Symbol.for, and whether it is a private name. (src/objects/name.tq)
func (r *Reader) symbolFlags(w Word, symbol bool) (registered, secret bool) {
	if !symbol {
		return false, false
	}
	flags, err := r.u32(w, layout.SymbolFlags)
	if err != nil {
		return false, false
	}
	return flags>>r.l.At(layout.SymbolRegisteredBit)&1 == 1, flags>>r.l.At(layout.SymbolPrivateBit)&1 == 1
}
