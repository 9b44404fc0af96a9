package heap

import (
	"fmt"

	"github.com/hotspan/hotspan/v8/layout"
)

// Variable is a variable that functions share, in the context of their scope.
type Variable struct {
	Name  string
	Value Word
}

// Scope is a context: the variables of a function or a block that functions in it use.
type Scope struct {
	Context   Word
	Outer     Word // the context around it; 0: there is none
	Variables []Variable
	Function  string // whose scope it is, where that has a name
	Extension Word   // the object of with, or that of what eval declares with var; 0: there is none
	Words     int    // of the context; the variables are the last ones
}

// A context begins with its ScopeInfo and the context around it, and may have one word more before its variables.
// (src/objects/contexts.h, MIN_CONTEXT_SLOTS and MIN_CONTEXT_EXTENDED_SLOTS)
const (
	contextScopeInfo = iota
	contextPrevious
	contextVariables
)

// Scope reads a context. Only if it has as many words as its ScopeInfo has names it is known which name is of which.
func (r *Reader) Scope(context Word) (s Scope, err error) {
	context, n, err := r.store(context)
	if err != nil {
		return s, err
	}
	slot := func(i int) (Word, error) {
		return r.WordAt(context.address() + uint64(r.l.At(layout.FixedArrayData)) + 8*uint64(i))
	}
	info, err := slot(contextScopeInfo)
	if err == nil {
		err = r.want(info, layout.TypeScopeInfo)
	}
	if err != nil {
		return s, err
	}
	s.Context, s.Words = context, n
	if outer, err := slot(contextPrevious); err == nil && outer.IsObject() && r.want(outer, layout.TypeOddball) != nil {
		s.Outer = outer
	}
	var f Function
	if err := r.scopeName(info, &f); err == nil {
		s.Function = f.Name
	}
	names, err := r.scopeVariables(info)
	if err != nil {
		return s, err
	}
	if names, err = r.withFunction(info, names, n); err != nil {
		return s, fmt.Errorf("context 0x%x: %w", uint64(context), err)
	}
	first := n - len(names)
	if len(names) > 0 && first != contextVariables && first != contextVariables+1 {
		return s, fmt.Errorf("context 0x%x: %d words for %d variables", uint64(context), n, len(names))
	}
	if w, err := slot(contextVariables); err == nil && first == contextVariables+1 {
		if typ, err := r.Type(w); err == nil && typ >= r.l.At(layout.FirstJSObjectType) {
			s.Extension = w
		}
	}
	for i, name := range names {
		v := Variable{Name: name}
		if v.Value, err = slot(first + i); err != nil {
			return s, err
		}
		s.Variables = append(s.Variables, v)
	}
	return s, nil
}

// withFunction adds the name that a function expression has for itself, if that is in the last of the words of the
// context, behind the other variables. (src/objects/scope-info.tq, FunctionVariableInfo)
func (r *Reader) withFunction(info Word, names []string, words int) ([]string, error) {
	at, err := r.scopeNames(info)
	if err != nil || !at.ownInContext {
		return names, err
	}
	place, err := r.WordAt(info.address() + uint64(at.own) + 8)
	if err != nil {
		return nil, err
	}
	if !place.IsSmi() || place.Smi() != words-1 {
		return nil, fmt.Errorf("the function itself is in word 0x%x of %d", uint64(place), words)
	}
	name, err := r.firstName(info, []int{at.own})
	return append(names, name), err
}

// maxVariables bounds the variables of one scope that are read.
const maxVariables = 1 << 10

// scopeVariables are the names of the variables in a context, as a ScopeInfo has them.
func (r *Reader) scopeVariables(info Word) (names []string, err error) {
	locals, err := r.field(info, layout.ScopeInfoContextLocalCount)
	n := locals.Smi()
	switch {
	case err != nil:
		return nil, err
	case !locals.IsSmi() || n < 0 || n > maxVariables:
		return nil, fmt.Errorf("scope info 0x%x: %d variables", uint64(info), n)
	case r.l.Has(layout.ScopeInfoMaxInlinedNames) && n >= r.l.At(layout.ScopeInfoMaxInlinedNames):
		return nil, fmt.Errorf("it has %d variables: their names are in a table that is not read", n)
	}
	at := info.address() + uint64(r.firstVariable(info, n))
	for i := range n {
		w, err := r.WordAt(at + 8*uint64(i))
		if err != nil {
			return nil, err
		}
		name, err := r.String(w, maxName)
		if err != nil {
			return nil, err
		}
		names = append(names, name)
	}
	return names, nil
}
