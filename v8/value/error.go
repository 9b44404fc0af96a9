package value

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/hotspan/hotspan/v8/heap"
	"github.com/hotspan/hotspan/v8/layout"
)

// failure is the form of an Error: its stack. (Node.js, lib/internal/util/inspect.js, formatError)
func (s *printing) failure(o *object) (form, error) {
	name, unnamed := s.textOf(o.w, "name", "Error")
	message, silent := s.textOf(o.w, "message", "")
	stack, calls, err := s.stack(o)
	if err == nil && stack == "" {
		stack, err = headline(name, message)+calls, errors.Join(unnamed, silent)
	}
	if err != nil {
		return form{}, err
	}
	o.own = slices.DeleteFunc(o.own, func(p heap.Own) bool {
		key, symbol, err := s.Heap.Key(p.Key)
		if err != nil || symbol || !slices.Contains([]string{"name", "message", "stack"}, key) {
			return false
		}
		text, err := s.textOf(o.w, key, "")
		return err == nil && (key == "stack" || strings.Contains(stack, text))
	})
	for _, key := range []string{"cause", "errors"} {
		if p := s.find(o.all, key, false); p != nil && !p.Enumerable && !p.Accessor {
			o.own = append(o.own, *p)
		}
	}
	if unnamed == nil {
		stack = improved(stack, name, o.of, s.l.V8)
	}
	if s.Depth < 0 { // the headline alone
		stack, _, _ = strings.Cut(stack, "\n")
	}
	from := 0
	if i := strings.Index(stack, message); message != "" && i > 0 && s.Depth >= 0 {
		from = i + len(message)
	}
	if !strings.Contains(stack[from:], "\n    at") {
		stack = "[" + stack + "]"
	}
	stack = strings.ReplaceAll(stack, "\n", "\n"+strings.Repeat(" ", s.indent))
	return form{base: stack, open: "{", close: "}", usual: "Error"}, nil
}

// textOf is a property of an object or its prototypes that is a string, and otherwise what is usual.
func (s *printing) textOf(w heap.Word, key, usual string) (string, error) {
	p, _, err := s.lookup(w, key)
	switch {
	case err != nil:
		return "", err
	case p == nil:
		return usual, nil
	case p.Accessor:
		return "", fmt.Errorf("its property %s has a getter", key)
	}
	return s.asText(p.Value, usual)
}

// asText is what String makes of a primitive value; that of undefined is what is usual.
func (s *printing) asText(w heap.Word, usual string) (string, error) {
	typ, err := s.Heap.Type(w)
	switch {
	case w.IsSmi():
		return s.value(w, 0), nil
	case err != nil:
		return "", err
	case typ < s.l.At(layout.FirstNonStringType):
		t, trailer, err := s.long(w)
		if err != nil {
			return "", err
		}
		return t.String() + trailer, nil
	case typ == s.l.At(layout.TypeOddball):
		if text := s.value(w, 0); text != "undefined" && (text != "null" || usual == "") {
			return text, nil
		}
		return usual, nil
	case typ == s.l.At(layout.TypeHeapNumber):
		return s.value(w, 0), nil
	}
	return "", fmt.Errorf("a %s is where a text was expected", s.what(w, typ))
}

// headline is what Error.prototype.toString makes of a name and a message.
func headline(name, message string) string {
	switch {
	case message == "":
		return name
	case name == "":
		return message
	}
	return name + ": " + message
}

// stack is the stack of an error as V8 has written it; empty if it has none. Where V8 has not written it yet, calls are
// its lines without the first.
func (s *printing) stack(o *object) (stack, calls string, err error) {
	p, _, err := s.lookup(o.w, "stack")
	if err != nil || p == nil {
		return "", "", err
	}
	if !p.Accessor {
		stack, err = s.asText(p.Value, "")
		return strings.TrimPrefix(stack, "null"), "", err
	}
	// V8 keeps it under a private symbol without a name, the first one: others have to do with the message.
	for _, p := range o.all {
		if _, named, secret, err := s.Heap.SymbolText(p.Key); err == nil && !named && secret {
			return s.kept(p.Value)
		}
	}
	return "", "", nil
}

// kept is the stack where V8 keeps it: a text, or what it makes that of when it is asked for.
func (s *printing) kept(w heap.Word) (stack, calls string, err error) {
	if w.IsSmi() {
		stack, err = s.asText(w, "")
		return stack, "", err
	}
	typ, err := s.Heap.Type(w)
	if err != nil {
		return "", "", err
	}
	if s.Types[typ] == "ErrorStackData" { // the stack is its first field (src/objects/call-site-info.tq)
		if w, err = s.Heap.WordAt(uint64(w) - 1 + 8); err != nil {
			return "", "", err
		}
		if typ, err = s.Heap.Type(w); err != nil {
			return "", "", err
		}
	}
	switch {
	case typ < s.l.At(layout.FirstNonStringType):
		stack, err = s.asText(w, "")
	case typ == s.l.At(layout.TypeFixedArray):
		calls = s.frames(w)
	}
	return stack, calls, err
}

// improved is a stack in whose first line the name of the class stands, where the error's own name says less.
// (improveStack)
func improved(stack, name string, of origin, v layout.Version) string {
	rest, begins := strings.CutPrefix(stack, name)
	plain := strings.HasSuffix(name, "Error") && begins && (rest == "" || rest[0] == ':' || rest[0] == '\n')
	if of.name != "" && !plain {
		return stack
	}
	usual, n := "Error", len(name)
	if of.name == "" {
		usual = errorName(stack)
		if n = len(usual); n == 0 {
			usual = "Error"
		}
	}
	before := strings.TrimSuffix(of.before(v, usual, ""), " ")
	switch {
	case name == before:
		return stack
	case strings.Contains(before, name) && n == 0:
		return before + ": " + stack
	case strings.Contains(before, name):
		return before + stack[n:]
	}
	return before + " [" + name + "]" + stack[n:]
}

// errorName is what a stack begins with, if that looks like a name.
func errorName(stack string) string {
	if m := namedStack.FindStringSubmatch(stack); m != nil {
		return m[1]
	}
	return bareError.FindString(stack)
}

var (
	namedStack = regexp.MustCompile(`^([A-Z][a-z_ A-Z0-9[\]()-]+)(?::|\n {4}at)`)
	bareError  = regexp.MustCompile(`^[a-z_A-Z0-9-]*Error$`)
)
