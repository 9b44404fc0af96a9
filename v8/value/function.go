package value

// function is the form of a function. (Node.js, lib/internal/util/inspect.js, getFunctionBase)
func (s *printing) function(o *object) (form, error) {
	name, err := s.nameOf(o.w)
	if err != nil {
		return form{}, err
	}
	kind := 0
	if s.isFunction(o.typ) {
		shared, err := s.Heap.Shared(o.w)
		if err != nil {
			return form{}, err
		}
		if kind, err = s.Heap.FunctionKind(shared); err != nil {
			return form{}, err
		}
	}
	f := form{open: "{", close: "}", usual: "Function"}
	if kind >= kindFirstClass && kind <= kindLastClass {
		f.base, err = s.class(o, name)
		return f, err
	}
	typ := "Function"
	if kind >= kindFirstGenerator && kind <= kindLastGenerator {
		typ = "Generator" + typ
	}
	if kind >= kindFirstAsync && kind <= kindLastAsync {
		typ = "Async" + typ
	}
	base := "[" + typ
	if o.of.name == "" {
		base += " (null prototype)"
	}
	if name == "" {
		base += " (anonymous)"
	} else {
		base += ": " + name
	}
	base += "]"
	if o.of.name != typ && o.of.name != "" {
		base += " " + o.of.name
	}
	if o.of.tag != "" && o.of.tag != o.of.name {
		base += " [" + o.of.tag + "]"
	}
	f.base = base
	return f, nil
}

// Kinds of function. (src/objects/function-kind.h)
const (
	kindFirstClass     = 3  // kBaseConstructor
	kindLastClass      = 6  // kDerivedConstructor
	kindFirstAsync     = 12 // kAsyncArrowFunction
	kindLastAsync      = 18 // kAsyncGeneratorFunction
	kindFirstGenerator = 16 // kAsyncConciseGeneratorMethod
	kindLastGenerator  = 21 // kStaticConciseGeneratorMethod
)

// class is what stands for a class: its name, and the one that it extends. (getClassBase)
func (s *printing) class(o *object, name string) (string, error) {
	if s.find(o.all, "name", false) == nil || name == "" {
		name = "(anonymous)"
	}
	out := "[class " + name
	if o.of.name != "Function" && o.of.name != "" {
		out += " [" + o.of.name + "]"
	}
	if o.of.tag != "" && o.of.tag != o.of.name {
		out += " [" + o.of.tag + "]"
	}
	if o.of.name == "" {
		return out + " extends [null prototype]]", nil
	}
	parent, err := s.prototype(o.w)
	if err != nil {
		return "", err
	}
	if s.callable(parent) {
		if name, err = s.nameOf(parent); err != nil {
			return "", err
		}
		if name != "" {
			out += " extends " + name
		}
	}
	return out + "]", nil
}
