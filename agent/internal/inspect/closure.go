package inspect

import (
	"errors"
	"fmt"

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

var errManyScopes = fmt.Errorf("more than %d scopes: it and those around it are not read", maxScopes)

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
	for {
		scope, err := r.Scope(context)
		if scope.Context == 0 || scope.Outer == 0 { // what is outermost belongs to V8
			break
		}
		if len(out) == maxScopes {
			out = append(out, Scope{Context: uint64(scope.Context), Problem: errManyScopes})
			break
		}
		of := Scope{Function: scope.Function, Context: uint64(scope.Context), Problem: err}
		for _, v := range scope.Variables {
			of.Variables = append(of.Variables, variable(p, v))
		}
		if scope.Extension != 0 {
			of.Variables = append(of.Variables, s.extension(p, scope.Extension)...)
		}
		out = append(out, of)
		context = scope.Outer
	}
	return out, nil
}

// extension are the variables that an object stands for: the object of with, by that word, which is no name of a
// variable, or each variable that eval has declared with var. V8 does not name the class of objects that have those.
func (s *Subject) extension(p *value.Printer, w heap.Word) (out []Variable) {
	typ, err := p.Heap.Type(w)
	if err == nil && s.types[typ] != "" {
		return []Variable{variable(p, heap.Variable{Name: "with", Value: w})}
	}
	own, failed := p.Heap.Own(w)
	if err = errors.Join(err, failed); err != nil {
		return []Variable{{Name: "eval", Text: "<not read: " + err.Error() + ">", Address: uint64(w)}}
	}
	for _, v := range own {
		name, _, err := p.Heap.Key(v.Key)
		if err != nil {
			name = "<not read: " + err.Error() + ">"
		}
		out = append(out, variable(p, heap.Variable{Name: name, Value: v.Value}))
	}
	return out
}

func variable(p *value.Printer, v heap.Variable) Variable {
	text, at := p.Variable(v.Value)
	return Variable{Name: v.Name, Text: text, Address: uint64(at)}
}
