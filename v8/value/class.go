package value

import (
	"fmt"

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
	if o.name == "" {
		if o.name, err = s.unnamed(w, s.level); err != nil {
			return o, false
		}
	}
	return o, true
}

// inherited is what a prototype and its own prototypes say.
func (s *printing) inherited(first heap.Word) (o origin, ok bool) {
	w, tagged := first, false
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
			o.name = s.constructorIn(own, first)
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
