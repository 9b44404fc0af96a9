package inspect

import (
	"strconv"
	"strings"

	"github.com/hotspan/hotspan/v8/heap"
	"github.com/hotspan/hotspan/v8/layout"
	"github.com/hotspan/hotspan/v8/space"
	"github.com/hotspan/hotspan/v8/value"
)

// maxShapes bounds the hidden classes whose objects are counted apart. Others are counted by what made them.
const maxShapes = 1 << 18

// kinds names what objects are: those of JavaScript by what made them, as print does, those of V8 by its own names, in
// parentheses.
type kinds struct {
	*value.Printer
	l     *layout.Layout
	made  map[heap.Word]string // by prototype, where that tells
	names map[heap.Word]string // by hidden class
}

func (s *Subject) newKinds() *kinds {
	r := s.now()
	return &kinds{Printer: &value.Printer{Heap: r, Types: s.types}, l: s.process.Layout, made: map[heap.Word]string{},
		names: map[heap.Word]string{}}
}

// of names an object.
func (k *kinds) of(o *space.Object) string {
	name, ok := k.names[o.Address]
	if !ok {
		name = k.find(o)
		if len(k.names) >= maxShapes {
			clear(k.names)
		}
		k.names[o.Address] = name
	}
	return name
}

func (k *kinds) find(o *space.Object) string {
	switch {
	case o.Name == "JSProxy":
		return "Proxy"
	case o.Name == "JSArgumentsObject":
		return "Arguments"
	case k.ofJavaScript(o.Class):
		return k.maker(o.Class)
	case o.Type < k.l.At(layout.FirstNonStringType):
		return "(string)"
	case k.isContext(o):
		return "(Context)"
	}
	return "(" + o.Name + ")"
}

// ofJavaScript reports whether the objects of a hidden class are those of JavaScript.
func (k *kinds) ofJavaScript(c *space.Class) bool {
	return c.Type >= k.l.At(layout.FirstJSObjectType) || strings.HasPrefix(c.Name, "JS")
}

func (k *kinds) maker(c *space.Class) string {
	prototype, err := k.Heap.Prototype(c.Address)
	if err != nil {
		return "(not read)"
	}
	name, ok := k.made[prototype]
	if ok {
		return name
	}
	name, all, ok := k.MakerOfAll(c.Address)
	switch {
	case !ok:
		name = "(not read)"
	case strings.HasPrefix(name, "("): // only what is V8's own begins so
		name = strconv.Quote(name)
	case name == "":
		name = "[" + k.withoutPrototype(c) + ": null prototype]"
	}
	if len(k.made) >= maxShapes {
		clear(k.made)
	}
	if all {
		k.made[prototype] = name
	}
	return name
}

// withoutPrototype names the objects of a hidden class that have no prototype.
func (k *kinds) withoutPrototype(c *space.Class) string {
	class, named := strings.CutPrefix(c.Name, "JS")
	if c.Type != k.l.At(layout.TypeJSObject) && named {
		return class
	}
	if name, err := k.Heap.MakerOf(c.Address); err == nil && name != "" {
		return name
	}
	return "Object"
}

// isContext reports whether an array to which V8 gives no name is a context: it begins with a ScopeInfo.
func (k *kinds) isContext(o *space.Object) bool {
	if o.Name != "array" {
		return false
	}
	at := uint64(max(0, k.l.At(layout.FixedArrayData)))
	first, err := k.Heap.WordAt(uint64(o.Word) - 1 + at)
	if err != nil || o.Size < at+8 {
		return false
	}
	typ, err := k.Heap.Type(first)
	return err == nil && typ == k.l.At(layout.TypeScopeInfo)
}
