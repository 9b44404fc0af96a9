package value

import (
	"fmt"

	"github.com/hotspan/hotspan/v8/heap"
	"github.com/hotspan/hotspan/v8/layout"
)

// iterators are the kinds of iterators of Maps and Sets, in the order of their instance types, which follow each other.
// V8 has no names of these for debuggers. (src/objects/instance-type.h)
var iterators = [...]struct {
	of      string
	entries bool
	part    int // of an entry: 0 the key, 1 the value
}{{"Map", false, 0}, {"Map", true, 0}, {"Map", false, 1}, {"Set", true, 0}, {"Set", false, 0}}

// iterator is the form of an iterator of a Map or a Set: what it has not given yet.
func (s *printing) iterator(o *object) (form, error) {
	first, err := s.firstIterator(o)
	if err != nil {
		return form{}, err
	}
	kind := iterators[o.typ-first]
	table, err := s.Heap.Iterator(o.w, kind.of == "Map")
	if err != nil {
		return form{}, err
	}
	tag := kind.of + " Iterator"
	if o.of.tag != tag {
		return form{}, fmt.Errorf("a %s is %q", tag, o.of.tag)
	}
	f := form{open: "[" + tag + "] {", close: "}", usual: "Object", shown: true}
	if kind.entries {
		f.open = "[" + kind.of + " Entries] {"
	}
	f.members = func(depth int) []string {
		s.indent += 2
		defer func() { s.indent -= 2 }()
		return s.left(table, depth, func(key, value heap.Word) string {
			second := value
			switch {
			case kind.entries && kind.of == "Set":
				second = key
			case !kind.entries:
				return s.value([...]heap.Word{key, value}[kind.part], depth)
			}
			pair := []string{s.value(key, depth), s.value(second, depth)}
			return s.join(pair, "", [2]string{"[", "]"}, elements{array: true}, depth)
		})
	}
	return f, nil
}

// left prints the entries of a table, and says how many more there are.
func (s *printing) left(table *heap.Collection, depth int, text func(key, value heap.Word) string) (out []string) {
	more := 0
	err := s.Heap.Each(table, func(key, value heap.Word) bool {
		if !s.afford(1) {
			return false
		}
		hole, err := s.hole(key)
		switch {
		case err == nil && hole:
		case len(out) == maxElements:
			more++
		default:
			out = append(out, text(key, value))
		}
		return true
	})
	if err == nil && !s.afford(0) {
		err = errTooMuch
	}
	if err != nil {
		return append(out, unread(err))
	}
	if more > 0 {
		out = append(out, fmt.Sprintf("... %d more item%s", more, plural(more)))
	}
	return out
}

// maxNative bounds the words of a native context.
const maxNative = 1 << 10

// firstIterator is the first of the instance types of iterators. A native context has the hidden classes of those of
// Maps one behind the other; the function next of an iterator's prototype, which is V8's own, is of that context.
// (src/objects/contexts.h, NATIVE_CONTEXT_FIELDS: map_key_iterator_map and the next two)
func (s *printing) firstIterator(o *object) (int, error) {
	proto, err := s.prototype(o.w)
	if err != nil {
		return 0, err
	}
	if first, ok := s.iterators[proto]; ok && s.iterates(first, o.typ) {
		return first, nil
	}
	if !s.afford(maxNative) {
		return 0, errTooMuch
	}
	own, err := s.own(proto)
	if err != nil {
		return 0, err
	}
	next := s.find(own, "next", false)
	if next == nil || !s.callable(next.Value) {
		return 0, errUnread
	}
	context, err := s.Heap.Part(next.Value, layout.JSFunctionContext)
	if err != nil {
		return 0, err
	}
	first, err := s.firstOf(context, o.typ)
	if err == nil {
		s.iterators[proto] = first
	}
	return first, err
}

// firstOf is firstIterator of a native context, if the instance type is among those of iterators.
func (s *printing) firstOf(context heap.Word, typ int) (int, error) {
	context, _, err := s.Heap.Forwarded(context)
	if err != nil {
		return 0, err
	}
	var before [2]int
	for i := range uint64(maxNative) {
		w, err := s.Heap.WordAt(uint64(context) - 1 + 8*i)
		if err != nil {
			return 0, err
		}
		of := 0 // instance type
		if is, err := s.Heap.Type(w); w.IsObject() && err == nil && is == s.l.At(layout.TypeMap) {
			if of, err = s.Heap.TypeOf(w); err != nil {
				return 0, err
			}
		}
		if first := before[0]; first+1 == before[1] && first+2 == of && s.iterates(first, typ) {
			return first, nil
		}
		before = [2]int{before[1], of}
	}
	return 0, errUnread
}

// iterates reports whether an instance type is among those of iterators, if these begin with first: none has a name.
func (s *printing) iterates(first, typ int) bool {
	for i := range iterators {
		if s.Types[first+i] != "" {
			return false
		}
	}
	return first <= typ && typ < first+len(iterators)
}
