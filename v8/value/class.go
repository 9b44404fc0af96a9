package value

import (
	"fmt"
	"strconv"

	"github.com/hotspan/hotspan/v8/heap"
	"github.com/hotspan/hotspan/v8/layout"
)

// Class is what V8 calls the objects of an instance type, and the name of an object's constructor, which is empty where
// it has none or is internal.
func (p *Printer) Class(w heap.Word, typ int) (class, constructor string) {
	return p.begin().classOf(w, typ)
}

func (s *printing) classOf(w heap.Word, typ int) (class, constructor string) {
	if typ >= s.l.At(layout.FirstJSObjectType) {
		constructor, _ = s.constructor(w)
	}
	switch {
	case s.Types[typ] != "":
		return s.Types[typ], constructor
	case typ < s.l.At(layout.FirstNonStringType):
		return "String", ""
	}
	return fmt.Sprintf("instance type %d", typ), constructor
}

// what names an object by the class of its instance type, and by that of its constructor where it is another.
func (s *printing) what(w heap.Word, typ int) string {
	name, of := s.classOf(w, typ)
	if of != "" && "JS"+of != name {
		return name + " of " + of
	}
	return name
}

// own reads the properties of an object, within maxRead.
func (s *printing) own(w heap.Word) ([]heap.Own, error) {
	switch {
	case !s.afford(1):
		return nil, errTooMuch
	case s.is(w, "JSGlobalObject"):
		return s.Heap.Global(w)
	}
	return s.Heap.Own(w)
}

// is reports whether a word is an object of a class of V8's.
func (s *printing) is(w heap.Word, class string) bool {
	typ, err := s.Heap.Type(w)
	return err == nil && w.IsObject() && s.Types[typ] == class
}

// constructor is the name of the function that made an object, as origin gives it.
func (s *printing) constructor(w heap.Word) (name string, ok bool) {
	o, ok := s.origin(w)
	return o.name, ok
}

// origin reads what the prototypes of an object say of it. ok is false if they cannot be read. A function of which the
// object is no instance does not count, such as one that is a property of the object itself.
func (s *printing) origin(w heap.Word) (o origin, ok bool) {
	own, err := s.own(w)
	if err != nil {
		return o, false
	}
	tag, found := s.tagIn(own, true)
	first, err := s.prototype(w)
	if err != nil {
		return o, false
	}
	if o, ok = s.made[first]; !ok {
		if o, ok = s.inherited(first); !ok {
			return o, false
		}
		if s.made != nil {
			s.made[first] = o
		}
	}
	if found {
		o.tag = tag
	}
	return o, true
}

// inherited is what a prototype and its own prototypes say.
func (s *printing) inherited(w heap.Word) (o origin, ok bool) {
	tagged := false
	for range maxChain {
		if typ, err := s.Heap.Type(w); err != nil || typ == s.l.At(layout.TypeOddball) {
			return o, err == nil
		}
		if o.name == "" && s.is(w, "JSProxy") {
			o.name = "<Proxy>" // what it says the constructor is, is its own business
			return o, true
		}
		own, err := s.own(w)
		if err != nil {
			return o, false
		}
		if o.name == "" {
			o.name = s.constructorIn(own)
		}
		if !tagged {
			o.tag, tagged = s.tagIn(own, false)
		}
		o.custom = o.custom || s.find(own, "nodejs.util.inspect.custom", true) != nil
		if w, err = s.prototype(w); err != nil {
			return o, false
		}
	}
	return o, false
}

func (s *printing) prototype(w heap.Word) (heap.Word, error) {
	_, hiddenClass, err := s.Heap.Forwarded(w)
	if err != nil {
		return 0, err
	}
	return s.Heap.Prototype(hiddenClass)
}

// tagIn is the property Symbol.toStringTag, if there is one. That of the object itself does not count if it is shown
// among its properties. What a getter would give is not known.
func (s *printing) tagIn(own []heap.Own, itself bool) (tag string, found bool) {
	p := s.find(own, "Symbol.toStringTag", true)
	if p == nil {
		return "", false
	}
	switch text, err := s.Heap.Name(p.Value); {
	case p.Accessor:
		return "<getter>", true
	case err != nil || itself && p.Enumerable: // or it is no string
		return "", true
	default:
		return text, true
	}
}

// find looks for a property by its name, or a symbol by its description; nil if there is none.
func (s *printing) find(own []heap.Own, name string, symbol bool) *heap.Own {
	for i := range own {
		if key, is, err := s.Heap.Key(own[i].Key); err == nil && is == symbol && key == name {
			return &own[i]
		}
	}
	return nil
}

// lookup finds a property of an object or of its prototypes by its name, and which of them has it; nil if there is
// none.
func (s *printing) lookup(w heap.Word, name string) (p *heap.Own, holder heap.Word, err error) {
	for range maxChain {
		if typ, err := s.Heap.Type(w); err != nil || typ == s.l.At(layout.TypeOddball) {
			return nil, 0, err
		}
		own, err := s.own(w)
		if err != nil {
			return nil, 0, err
		}
		if p := s.find(own, name, false); p != nil {
			return p, w, nil
		}
		if w, err = s.prototype(w); err != nil {
			return nil, 0, err
		}
	}
	return nil, 0, errTooMuch
}

// constructorIn is the name of the function that is the property constructor; empty if there is none.
func (s *printing) constructorIn(own []heap.Own) string {
	if p := s.find(own, "constructor", false); p != nil && !p.Accessor && s.callable(p.Value) {
		if name, err := s.nameOf(p.Value); err == nil {
			return name
		}
	}
	return ""
}

// callable reports whether a value is a function, bound ones included.
func (s *printing) callable(w heap.Word) bool {
	typ, err := s.Heap.Type(w)
	return err == nil && (s.isFunction(typ) || s.Types[typ] == boundFunction)
}

func (s *printing) isFunction(typ int) bool {
	return typ >= s.l.At(layout.TypeJSFunctionFirst) && typ <= s.l.At(layout.TypeJSFunctionLast)
}

const boundFunction = "JSBoundFunction"

// nameOf is the property name of a function, as JavaScript sees it, where it is a string or a number.
func (s *printing) nameOf(w heap.Word) (string, error) {
	p, holder, err := s.lookup(w, "name")
	if err != nil || p == nil {
		return "", err
	}
	typ, err := s.Heap.Type(p.Value)
	switch {
	case err != nil && !p.Value.IsSmi():
		return "", err
	case !p.Accessor && p.Value.IsSmi():
		return strconv.Itoa(p.Value.Smi()), nil
	case !p.Accessor && typ >= s.l.At(layout.FirstNonStringType):
		return "<no string>", nil
	case !p.Accessor:
		return s.Heap.Name(p.Value)
	case s.Types[typ] == "AccessorPair":
		return "<getter>", nil
	}
	return s.ownName(holder)
}

// ownName is what V8's own accessor gives: the name in the source, or that of the function that is bound.
func (s *printing) ownName(w heap.Word) (string, error) {
	before := ""
	for range maxChain {
		typ, err := s.Heap.Type(w)
		switch {
		case err != nil:
			return "", err
		case s.isFunction(typ):
			text, err := s.sourceName(w)
			return before + text, err
		case s.Types[typ] != boundFunction:
			return before, nil
		}
		before += "bound "
		if w, err = s.Heap.Part(w, layout.JSBoundFunctionTarget); err != nil {
			return "", err
		}
	}
	return "", errTooMuch
}

func (s *printing) sourceName(function heap.Word) (string, error) {
	shared, err := s.Heap.Shared(function)
	if err != nil {
		return "", err
	}
	return s.Heap.OwnName(shared)
}
