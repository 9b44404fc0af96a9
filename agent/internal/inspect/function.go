package inspect

import (
	"errors"
	"fmt"
	"strings"

	"github.com/hotspan/hotspan/v8/heap"
	"github.com/hotspan/hotspan/v8/layout"
	"github.com/hotspan/hotspan/v8/value"
)

// Function is what a function is, and where it is from.
type Function struct {
	Text         string // as print shows it: [AsyncFunction: charge]
	Name         string // as V8 names it in a stack, which may know more than the function's property
	File         string // or URL; empty: it is V8's own or of C++
	Line, Column int    // of its parameters; 0: not known
	Shared       uint64 // address of what functions of the same source share, with V8's tag
	Context      uint64 // address of the variables that it uses
}

// Function reads a function. The last of what was bound is read of one that bind has made.
func (s *Subject) Function(address uint64) (out Function, err error) {
	r, w, err := s.function(address)
	if err != nil {
		return out, err
	}
	p := value.Printer{Heap: r, Types: s.types, Depth: -1}
	out.Text = p.Print(w)
	shared, err := r.Shared(w)
	if err != nil {
		return out, err
	}
	f, err := r.Function(shared)
	if err != nil {
		return out, err
	}
	out.Name, out.Shared = f.Name, uint64(shared)
	if context, err := r.Part(w, layout.JSFunctionContext); err == nil {
		out.Context = uint64(context)
	}
	if f.Script == 0 {
		return out, nil
	}
	script, err := r.Script(f.Script)
	if err != nil {
		return out, err
	}
	out.File = script.Name
	if start, _, ok := r.FunctionSpan(shared, s.uncompiled); ok && start >= 0 {
		out.Line, out.Column, err = r.Position(script, start)
	}
	return out, err
}

// maxBound bounds how often a function may be bound.
const maxBound = 16

// function finds the JSFunction at an address; of a bound one that which it calls.
func (s *Subject) function(address uint64) (*heap.Reader, heap.Word, error) {
	r := s.now()
	w := tagged(address)
	for range maxBound {
		object, _, err := r.Forwarded(w)
		if err != nil {
			return nil, 0, noObject(address, err)
		}
		typ, err := r.Type(object)
		l := s.process.Layout
		switch {
		case err != nil:
			return nil, 0, noObject(address, err)
		case typ >= l.At(layout.TypeJSFunctionFirst) && typ <= l.At(layout.TypeJSFunctionLast):
			return r, object, nil
		case s.types[typ] != "JSBoundFunction":
			p := value.Printer{Heap: r, Types: s.types}
			class, _ := p.Class(object, typ)
			return nil, 0, fmt.Errorf("0x%x: a %s, no function", address, class)
		}
		if w, err = r.Part(object, layout.JSBoundFunctionTarget); err != nil {
			return nil, 0, err
		}
	}
	return nil, 0, fmt.Errorf("0x%x: bound more than %d times", address, maxBound)
}

func (s *Subject) uncompiled(typ int) bool { return strings.HasPrefix(s.types[typ], "UncompiledData") }

// maxSource bounds the source of one function, in UTF-16 units.
const maxSource = 1 << 20

// ErrNoSource says that V8 does not keep where a function is in its script.
var ErrNoSource = errors.New("where it is in its script is not known")

// Source is the source of a function, as toString gives it.
func (s *Subject) Source(address uint64) (string, error) {
	r, w, err := s.function(address)
	if err != nil {
		return "", err
	}
	shared, err := r.Shared(w)
	if err != nil {
		return "", err
	}
	f, err := r.Function(shared)
	if err != nil {
		return "", err
	}
	if f.Script == 0 {
		return "", fmt.Errorf("0x%x: a function of V8 or of C++ has no source", address)
	}
	start, end, ok := s.classText(r, w)
	if !ok {
		start, end, ok = r.FunctionText(shared, s.uncompiled)
	}
	if !ok || end-start > maxSource {
		return "", fmt.Errorf("0x%x: %w", address, ErrNoSource)
	}
	text, err := r.SourcePart(f.Script, start, end-start)
	if err != nil {
		return "", err
	}
	return text.String(), nil
}

// classText is where the source of a class is, which its function has under a private symbol: map, start, end.
// (src/objects/class-positions.tq, ClassPositions)
func (s *Subject) classText(r *heap.Reader, w heap.Word) (start, end int, ok bool) {
	own, err := r.Own(w)
	if err != nil {
		return 0, 0, false
	}
	for _, p := range own {
		typ, err := r.Type(p.Value)
		if err != nil || s.types[typ] != "ClassPositions" {
			continue
		}
		first, err1 := r.WordAt(uint64(p.Value) - 1 + 8)
		last, err2 := r.WordAt(uint64(p.Value) - 1 + 16)
		start, end = first.Smi(), last.Smi()
		return start, end, err1 == nil && err2 == nil && first.IsSmi() && last.IsSmi() && 0 <= start && start < end
	}
	return 0, 0, false
}
