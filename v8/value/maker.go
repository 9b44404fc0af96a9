package value

import (
	"github.com/hotspan/hotspan/v8/heap"
)

// Maker is the name of the function that made the objects of a hidden class, as Class has it; empty: there is none. ok
// is false if what they inherit from cannot be read.
func (p *Printer) Maker(hiddenClass heap.Word) (name string, ok bool) {
	name, _, ok = p.MakerOfAll(hiddenClass)
	return name, ok
}

// MakerOfAll is Maker. all says that it is the maker of all objects that have their prototype. Generators and iterators
// are made by no function that has a name: what their prototypes say is their tag.
func (p *Printer) MakerOfAll(hiddenClass heap.Word) (name string, all, ok bool) {
	first, err := p.Heap.Prototype(hiddenClass)
	if err != nil {
		return "", false, false
	}
	s := p.begin()
	o, ok := s.inherited(first)
	if ok && o.name == "" && !s.null(first) {
		return s.madeByClass(hiddenClass, first), false, true
	}
	if o.name == "Object" && o.tag != "" && o.tag != getterTag {
		return o.tag, true, ok
	}
	return o.name, o.name != "", ok
}
