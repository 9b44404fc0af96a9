package value

import (
	"strings"

	"github.com/hotspan/hotspan/v8/heap"
	"github.com/hotspan/hotspan/v8/layout"
)

// null reports whether a word ends a chain of prototypes.
func (s *printing) null(w heap.Word) bool {
	typ, err := s.Heap.Type(w)
	return err == nil && typ == s.l.At(layout.TypeOddball)
}

// isMade reports whether a function counts as the one that made objects with a prototype: its own property prototype is
// that, or one of those behind it, as instanceof has it. A function of which that is not known counts.
func (s *printing) isMade(by, first heap.Word) bool {
	for range maxChain {
		if typ, err := s.Heap.Type(by); err != nil || s.Types[typ] != boundFunction {
			break
		}
		target, err := s.Heap.Part(by, layout.JSBoundFunctionTarget)
		if err != nil {
			return true
		}
		by = target
	}
	made, err := s.Heap.MadePrototype(by)
	if err != nil {
		return true
	}
	for w := first; made != 0; {
		at, _, err := s.Heap.Forwarded(w)
		switch {
		case err != nil || at == made:
			return true
		case s.null(at) || s.is(at, "JSProxy") || !s.afford(1):
			return false
		}
		if w, err = s.prototype(at); err != nil {
			return true
		}
	}
	return false
}

// constructorIn is the name of the function that is the property constructor; empty if there is none, or if it does not
// make objects with a prototype, unless that is 0.
func (s *printing) constructorIn(own []heap.Own, first heap.Word) string {
	p := s.find(own, "constructor", false)
	if p != nil && !p.Accessor && s.callable(p.Value) && (first == 0 || s.isMade(p.Value, first)) {
		if name, err := s.nameOf(p.Value); err == nil {
			return name
		}
	}
	return ""
}

// unnamed is the name of an object that has prototypes, none of which names what made it: what V8 knows, and behind
// that its prototype. (Node.js, lib/internal/util/inspect.js, getConstructorName)
func (s *printing) unnamed(w heap.Word, level int) (string, error) {
	first, err := s.prototype(w)
	if err != nil || s.null(first) {
		return "", err
	}
	name := s.madeBy(w)
	switch {
	case s.value == nil: // nothing is printed
		return name, nil
	case level > s.Depth:
		return name + " <Complex prototype>", nil
	}
	second, err := s.prototype(first)
	if err != nil {
		return "", err
	}
	behind := ""
	if s.null(second) {
		behind = s.value(first, maxDepth+1) // without members
	} else if behind, err = s.unnamed(first, level+1); err != nil {
		return "", err
	}
	return name + " <" + behind + ">", nil
}

// madeBy is what V8 takes for the name of what made an object.
func (s *printing) madeBy(w heap.Word) string {
	_, hiddenClass, err := s.Heap.Forwarded(w)
	if err != nil {
		return "Object"
	}
	return s.madeByClass(hiddenClass, w)
}

// madeByClass is madeBy for objects of a hidden class, which looks for names from an object on.
// (src/objects/js-objects.cc, GetConstructorHelper)
func (s *printing) madeByClass(hiddenClass, from heap.Word) string {
	if name, err := s.Heap.MakerOf(hiddenClass); err == nil && name != "" && name != "Object" {
		return name
	}
	at := from
	for range maxChain {
		if s.null(at) {
			break
		}
		own, err := s.own(at)
		if err != nil {
			break
		}
		if p := s.find(own, "Symbol.toStringTag", true); p != nil && !p.Accessor {
			if text, err := s.Heap.Name(p.Value); err == nil {
				return text
			}
		}
		if name := s.constructorIn(own, 0); name != "" && name != "Object" {
			return name
		}
		if at, err = s.prototype(at); err != nil {
			break
		}
	}
	switch typ, err := s.Heap.TypeOf(hiddenClass); {
	case err == nil && s.isFunction(typ):
		return "Function"
	case err == nil && strings.HasPrefix(s.Types[typ], "JS"):
		return strings.TrimPrefix(s.Types[typ], "JS")
	}
	return "Object"
}
