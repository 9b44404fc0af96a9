package value

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/hotspan/hotspan/v8/heap"
	"github.com/hotspan/hotspan/v8/layout"
)

// object prints an object. (Node.js, lib/internal/util/inspect.js, formatRaw)
func (s *printing) object(w heap.Word, typ, depth int) string {
	o, err := s.behind(w, typ)
	s.level = depth
	var f form
	if err == nil {
		f, err = s.form(o)
	}
	switch {
	case errors.Is(err, errUnread):
		return "<" + s.what(w, typ) + ">"
	case err != nil:
		return "<" + s.what(w, typ) + ", " + strings.TrimPrefix(unread(err), "<")
	case !f.shown && len(o.own) == 0 && o.elements.empty():
		if f.base != "" {
			return f.base
		}
		return f.open + f.close
	case depth > s.deepest() && f.whole:
		return f.base
	case depth > s.deepest():
		return o.of.short(s.l.V8, f.usual)
	}
	depth++
	s.seen = append(s.seen, w)
	s.depth = depth
	var out []string
	if f.members != nil {
		out = f.members(depth)
	}
	if f.members == nil || !o.elements.array {
		out = append(out, o.elements.print(s, depth)...)
	}
	out = append(out, s.members(o.own, depth)...)
	s.seen = s.seen[:len(s.seen)-1]
	if n := s.circular[w]; n > 0 {
		f.base = strings.TrimRight(fmt.Sprintf("<ref *%d> %s", n, f.base), " ")
	}
	o.elements.array = f.list
	return s.join(out, f.base, [2]string{f.open, f.close}, o.elements, depth)
}

// behind is the object that is shown for another one: the global object for what JavaScript has instead of it.
func (s *printing) behind(w heap.Word, typ int) (*object, error) {
	if s.Types[typ] != "JSGlobalProxy" {
		return &object{w: w, typ: typ}, nil
	}
	global, err := s.prototype(w)
	if err == nil && !s.is(global, "JSGlobalObject") {
		err = errUnread // it has been detached
	}
	if err == nil {
		typ, err = s.Heap.Type(global)
	}
	return &object{w: global, typ: typ}, err
}

// form reads what every object has, and says how it is shown.
func (s *printing) form(o *object) (f form, err error) {
	if o.all, err = s.own(o.w); err != nil {
		return f, err
	}
	o.own = slices.DeleteFunc(slices.Clone(o.all), func(p heap.Own) bool { return !s.visible(p) })
	var ok bool
	if o.of, ok = s.origin(o.w); !ok {
		return f, errors.New("its prototypes cannot be read")
	}
	class := s.Types[o.typ]
	switch {
	case s.isFunction(o.typ) || class == boundFunction:
		f, err = s.function(o)
	case o.typ == s.l.At(layout.TypeJSArray):
		return s.array(o)
	case o.typ == s.l.At(layout.TypeJSObject), o.typ == s.l.At(layout.TypeJSGeneratorObject), plainClasses[class]:
		f = s.plain(o)
	case o.typ == s.l.At(layout.TypeAPIObject), class == "JSGlobalObject":
		if intercepted, err := s.Heap.Intercepted(o.w); err != nil || intercepted {
			return f, errUnread // C++ has properties of it
		}
		f = s.plain(o)
	default:
		f, err = s.special(o, class)
	}
	if err == nil && class != "JSTypedArray" {
		o.elements, err = s.elements(o.w, false)
	}
	return f, err
}

// visible reports whether a property is shown: those of private symbols are not seen by JavaScript.
func (s *printing) visible(p heap.Own) bool {
	text, _, secret, err := s.Heap.SymbolText(p.Key)
	if err == nil && secret {
		return s.Private && strings.HasPrefix(text, "#")
	}
	return p.Enumerable
}

// plainClasses are V8's classes of objects that util.inspect shows as plain ones.
var plainClasses = map[string]bool{
	"JSAsyncGeneratorObject": true, "JSArrayIterator": true, "JSStringIterator": true,
	"JSIteratorResult": true, "JSArgumentsObject": true, "JSRegExpStringIterator": true,
	"JSAsyncFromSyncIterator": true, "JSValidIteratorWrapper": true,
	"JSIteratorMapHelper": true, "JSIteratorFilterHelper": true, "JSIteratorTakeHelper": true,
	"JSIteratorDropHelper": true, "JSIteratorFlatMapHelper": true, "JSIteratorConcatHelper": true,
	"JSWeakRef": true, "JSFinalizationRegistry": true,
	"JSSyncDisposableStack": true, "JSAsyncDisposableStack": true,

	"JSCollator": true, "JSDateTimeFormat": true, "JSDisplayNames": true, "JSDurationFormat": true,
	"JSListFormat": true, "JSLocale": true, "JSNumberFormat": true, "JSPluralRules": true,
	"JSRelativeTimeFormat": true, "JSSegmenter": true, "JSSegments": true, "JSSegmentIterator": true,

	"WasmGlobalObject": true, "WasmInstanceObject": true, "WasmMemoryObject": true, "WasmModuleObject": true,
	"WasmTableObject": true, "WasmTagObject": true,
}

// plain is the form of objects that have properties alone.
func (s *printing) plain(o *object) form {
	usual := "Object"
	if o.of.name == "" && o.typ == s.l.At(layout.TypeJSObject) {
		if name := s.madeBy(o.w); name != o.of.tag {
			usual = name
		}
	}
	f := s.braced(o, usual)
	switch {
	case o.of.name != "Object":
	case s.Types[o.typ] == "JSArgumentsObject":
		f.open = "[Arguments] {"
	case o.of.tag == "":
		f.open = "{"
	}
	return f
}

// array is the form of an array.
func (s *printing) array(o *object) (f form, err error) {
	o.elements, err = s.elements(o.w, true)
	size := fmt.Sprintf("(%d)", o.elements.length)
	f = form{open: o.of.before(s.l.V8, "Array", size) + "[", close: "]", usual: "Array", list: true}
	if o.of == (origin{name: "Array", custom: o.of.custom}) {
		f.open = "["
	}
	return f, err
}

// special is the form of objects of JavaScript's own classes.
func (s *printing) special(o *object, class string) (form, error) {
	switch class {
	case "JSMap", "JSSet":
		return s.collection(o, strings.TrimPrefix(class, "JS"))
	case "JSWeakMap", "JSWeakSet":
		f := s.braced(o, strings.TrimPrefix(class, "JS"))
		f.shown, f.members = true, func(int) []string { return []string{"<items unknown>"} }
		return f, nil
	case "JSDate":
		return s.date(o)
	case "JSRegExp":
		return s.regExp(o)
	case "JSError":
		return s.failure(o)
	case "JSPromise":
		return s.promise(o)
	case "JSArrayBuffer":
		return s.arrayBuffer(o)
	case "JSDataView", "JSRabGsabDataView":
		return s.dataView(o)
	case "JSTypedArray":
		return s.typedArray(o)
	case "JSPrimitiveWrapper":
		return s.boxed(o)
	case "":
		return s.iterator(o)
	}
	return form{}, errUnread
}
