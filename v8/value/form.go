package value

import (
	"errors"

	"github.com/hotspan/hotspan/v8/heap"
)

// errUnread says that objects of a kind are not read.
var errUnread = errors.New("not read")

// object is an object that is to be printed.
type object struct {
	w        heap.Word
	typ      int
	all, own []heap.Own // its properties, and those of them that are shown
	of       origin
	elements elements
}

// form is how objects of a kind are shown: a text, and members in braces, which are left out where there is none.
type form struct {
	base        string // before the braces
	open, close string // with what made it before the first
	usual       string // name of the kind
	list        bool   // members may be put into columns
	whole       bool   // the text is shown however deep the object is
	shown       bool   // there are members, such as the bytes of a buffer, besides elements and properties
	// members are these; nil if there are none.
	members func(depth int) []string
}

// braced is the form of objects whose members are in braces, after what made them.
func (s *printing) braced(o *object, usual string) form {
	return form{open: o.of.before(s.l.V8, usual, "") + "{", close: "}", usual: usual}
}
