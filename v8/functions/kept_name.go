package functions

import (
	"unicode/utf16"

	"github.com/hotspan/hotspan/v8/functions/naming"
	"github.com/hotspan/hotspan/v8/heap"
)

// Limits of what is read of a script before and behind such a function, and at its start, where the helper is, in
// UTF-16 units.
const (
	helperWindow = 64
	nameWindow   = 256
	headWindow   = 16 << 10
)

// shortName is the length up to which a name may be a minifier's.
const shortName = 2

// keptName is the name that esbuild's helper gives to a function that has none by itself, or a short one; empty if
// there is no such call around it, or behind it.
func (v *Resolver) keptName(f *heap.Function, s *script) string {
	if len(f.Name) > shortName || f.Script == 0 || f.Start < 0 || f.End < f.Start {
		return ""
	}
	depth, helper := 0, ""
	if f.Name == "" {
		from := max(0, f.Start-helperWindow)
		before, err := v.r.SourcePart(f.Script, from, f.Start-from)
		if err != nil || before.Len() < f.Start-from {
			return ""
		}
		if depth, helper = naming.HelperCall(before.Units()); depth == 0 {
			return ""
		}
	}
	behind, err := v.r.SourcePart(f.Script, f.End, nameWindow)
	if err != nil {
		return ""
	}
	text, name := string(utf16.Decode(behind.Units())), ""
	if f.Name == "" {
		name = naming.SecondArgument(text, depth)
	} else {
		helper, name = naming.CallBehind(text, f.Name)
	}
	if name == "" || !naming.IsHelper(helper) && helper != v.helper(f, s) {
		return ""
	}
	return name
}

// helper is what the helper is called in a script where a minifier has named it; empty if it is not at its start.
func (v *Resolver) helper(f *heap.Function, s *script) string {
	if s == nil {
		return ""
	}
	if s.helperRead {
		return s.helper
	}
	head, err := v.r.SourcePart(f.Script, 0, headWindow)
	if err != nil {
		return ""
	}
	s.helper, s.helperRead = naming.DefinedHelper(string(utf16.Decode(head.Units()))), true
	return s.helper
}
