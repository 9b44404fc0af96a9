package inspect

import (
	"github.com/hotspan/hotspan/v8/heap"
	"github.com/hotspan/hotspan/v8/layout"
	"github.com/hotspan/hotspan/v8/value"
)

// Scope is the part of a closure that belongs to one function or block.
type Scope struct {
	Function  string // whose it is, where that has a name
	Context   uint64 // address, with V8's tag
	Variables []Variable
	Problem   error // why the variables are not known
}

// Variable is a variable of a scope.
type Variable struct {
	Name    string
	Text    string // as print shows its value
	Address uint64 // of the value, or the value in the word itself
}

// maxScopes bounds the scopes around one function.
const maxScopes = 64

// Closure is what a function uses of the functions and blocks around it, the innermost first. V8 keeps only variables
// that some function in them uses.
func (s *Subject) Closure(address uint64, depth int) (out []Scope, err error) {
	r, w, err := s.function(address)
	if err != nil {
		return nil, err
	}
	context, err := r.Part(w, layout.JSFunctionContext)
	if err != nil {
		return nil, err
	}
	p := &value.Printer{Heap: r, Types: s.types, Depth: depth}
	for range maxScopes {
		scope, err := r.Scope(context)
		if scope.Context == 0 || scope.Outer == 0 { // what is outermost belongs to V8
			break
		}
		of := Scope{Function: scope.Function, Context: uint64(scope.Context), Problem: err}
		for _, v := range scope.Variables {
			of.Variables = append(of.Variables, variable(p, v))
		}
		out = append(out, of)
		context = scope.Outer
	}
	return out, nil
}

func variable(p *value.Printer, v heap.Variable) Variable {
	text, at := p.Variable(v.Value)
	return Variable{Name: v.Name, Text: text, Address: uint64(at)}
}
