package value

import (
	"github.com/hotspan/hotspan/v8/heap"
)

// Maker is the name of the function that made the objects of a hidden class, as Class has it; empty: there is none. ok
// is false if what they inherit from cannot be read.
func (p *Printer) Maker(hiddenClass heap.Word) (name string, ok bool) {
	first, err := p.Heap.Prototype(hiddenClass)
	if err != nil {
		return "", false
	}
	o, ok := p.begin().inherited(first)
	return o.name, ok
}
