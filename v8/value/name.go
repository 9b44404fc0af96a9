package value

import (
	"regexp"
	"strconv"
	"strings"

	"github.com/hotspan/hotspan/v8/heap"
	"github.com/hotspan/hotspan/v8/layout"
)

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

func (s *printing) prototype(w heap.Word) (heap.Word, error) {
	_, hiddenClass, err := s.Heap.Forwarded(w)
	if err != nil {
		return 0, err
	}
	return s.Heap.Prototype(hiddenClass)
}

// getterTag stands for a tag that a function gives.
const getterTag = "<getter>"

// tagIn is the property Symbol.toStringTag, if there is one. That of the object itself does not count if it is shown
// among its properties. What a getter would give is not known.
func (s *printing) tagIn(own []heap.Own, itself bool) (tag string, found bool) {
	p := s.find(own, "Symbol.toStringTag", true)
	if p == nil {
		return "", false
	}
	switch text, err := s.Heap.Name(p.Value); {
	case p.Accessor:
		return getterTag, true
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
	name, err := s.Heap.OwnName(shared)
	if err == nil && name == "" && s.dynamic(shared) {
		name = "anonymous"
	}
	return name, err
}

// dynamicText is what V8 makes of the arguments of new Function and its like. (src/builtins/builtins-function.cc,
// CreateDynamicFunction)
var dynamicText = regexp.MustCompile(`^(async )?function\*? anonymous\(`)

// dynamic reports whether a function without a name of its own is one that new Function has made: its source has the
// name that it is given, and no scope has a variable of that name. A bracket is before it.
func (s *printing) dynamic(shared heap.Word) bool {
	start, _, ok := s.Heap.FunctionText(shared, func(typ int) bool {
		return strings.HasPrefix(s.Types[typ], "UncompiledData")
	})
	if !ok || start != 1 {
		return false
	}
	f, err := s.Heap.Function(shared)
	if err != nil || f.Script == 0 {
		return false
	}
	text, err := s.Heap.SourcePart(f.Script, start, len("async function* anonymous("))
	return err == nil && dynamicText.MatchString(text.String())
}
