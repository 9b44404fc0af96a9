package agent

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/hotspan/hotspan/v8/heap"
	"github.com/hotspan/hotspan/v8/layout"
)

// checkContext goes from the current context to its hidden class, from there to the class of hidden classes, which is
// its own class: a wrong offset in any step does not end there.
func (i *isolate) checkContext() error {
	context, err := i.word(layout.IsolateContext)
	if err != nil {
		return err
	}
	if context == 0 {
		return errNothing
	}
	_, class, err := i.r.Forwarded(context)
	if err != nil {
		return err
	}
	_, meta, err := i.r.Forwarded(class)
	if err != nil {
		return err
	}
	_, again, err := i.r.Forwarded(meta)
	if err != nil {
		return err
	}
	if again != meta || !i.is(class, layout.TypeMap) {
		return fmt.Errorf("%#x is not an object with a hidden class", uint64(context))
	}
	i.note(layout.IsolateContext, layout.MapInstanceType, layout.TypeMap)
	return nil
}

// checkAsyncContext: the slot holds undefined, or the JSMap of an AsyncContextFrame. That it holds undefined says little
// of the slot, since others do too: only a frame that is met there counts.
func (i *isolate) checkAsyncContext() error {
	w, err := i.word(layout.IsolateCPED)
	if err != nil {
		return err
	}
	typ, err := i.r.Type(w)
	switch {
	case err != nil:
		return err
	case typ == i.l.At(layout.TypeJSMap):
		return i.checkFrame(w)
	case typ != i.l.At(layout.TypeOddball):
		return fmt.Errorf("an object of instance type %d, neither undefined nor a Map", typ)
	}
	text, err := i.slot(w, layout.OddballToString)
	if err != nil {
		return err
	}
	const want = "undefined"
	if s, err := i.r.String(text, 2*len(want)); err != nil || s != want {
		return fmt.Errorf("%q (%v), neither undefined nor a Map", s, err)
	}
	i.note(layout.TypeOddball, layout.OddballToString, layout.StringLength, layout.SeqStringChars, layout.SeqStringTag)
	return nil
}

func (i *isolate) checkFrame(w heap.Word) error {
	if _, err := i.r.Entries(w); err != nil {
		return err
	}
	i.note(layout.IsolateCPED, layout.TypeJSMap, layout.JSMapTable)
	return nil
}

// Limits of the search for functions in the native context: its slots, and how many functions are enough.
const (
	contextSlots  = 512
	manyFunctions = 20
)

// functions are JSFunctions in the native context, to which the hidden class of every context refers.
func (i *isolate) functions() ([]heap.Word, error) {
	context, err := i.word(layout.IsolateContext)
	if err != nil || context == 0 {
		return nil, errNothing
	}
	_, class, err := i.r.Forwarded(context)
	if err != nil {
		return nil, err
	}
	native, err := i.slot(class, layout.MapConstructorOrBackPointer)
	if err != nil || !native.IsObject() {
		return nil, fmt.Errorf("the context's hidden class refers to %#x: %w", uint64(native), unlike(err))
	}
	var out []heap.Word
	for n := 2; n < contextSlots && len(out) < manyFunctions; n++ {
		w, err := i.slotAt(native, 8*n)
		if err != nil {
			break
		}
		if _, ok := i.isFunction(w); ok {
			out = append(out, w)
		}
	}
	if len(out) < manyFunctions {
		return nil, fmt.Errorf("%d functions in the native context, want %d", len(out), manyFunctions)
	}
	return out, nil
}

// errUnlike says that what was read is not what it should be.
var errUnlike = errors.New("not what should be there")

// unlike is err, or errUnlike where there is none.
func unlike(err error) error {
	if err == nil {
		return errUnlike
	}
	return err
}

func (i *isolate) checkFunctions() error {
	functions, err := i.functions()
	if err != nil {
		return err
	}
	for _, f := range functions {
		shared, err := i.slot(f, layout.JSFunctionShared)
		if err != nil {
			return err
		}
		if !i.is(shared, layout.TypeSharedFunctionInfo) {
			return fmt.Errorf("function %#x has no SharedFunctionInfo", uint64(f))
		}
	}
	i.note(layout.MapConstructorOrBackPointer, layout.JSFunctionShared, layout.TypeSharedFunctionInfo)
	return nil
}

// checkShapes: the first two properties of most functions are length and name. (ECMA-262, 20.2.4)
func (i *isolate) checkShapes() error {
	functions, err := i.functions()
	if err != nil {
		return err
	}
	header, entry := i.l.At(layout.DescriptorsHeader), i.l.At(layout.DescriptorsEntrySize)
	for _, f := range functions {
		class, _ := i.isFunction(f)
		descriptors, err := i.slot(class, layout.MapDescriptors)
		if err != nil {
			return err
		}
		if i.key(descriptors, header) == "length" && i.key(descriptors, header+entry) == "name" {
			i.note(layout.MapDescriptors, layout.DescriptorsHeader, layout.DescriptorsEntrySize)
			return nil
		}
	}
	return fmt.Errorf("no function has the properties length and name")
}

func (i *isolate) key(descriptors heap.Word, offset int) string {
	w, err := i.slotAt(descriptors, offset)
	if err != nil {
		return ""
	}
	name, _, _ := i.r.Key(w)
	return name
}

// rootBytes is how much of an isolate is searched for the list of its scripts: V8's roots are near its beginning
// (src/execution/isolate-data.h).
const rootBytes = 0x4000

// maxListed bounds the scripts that are looked at, and the functions of one of them.
const maxListed = 256

// scripts are those of the isolate, from the list that is one of its roots: a WeakArrayList.
// (src/objects/fixed-array.h)
func (i *isolate) scripts() ([]heap.Word, error) {
	b, err := i.r.Bytes(i.at, rootBytes)
	if err != nil {
		return nil, err
	}
	for ; len(b) > 0; b = b[8:] {
		if list := i.scriptList(heap.Word(binary.LittleEndian.Uint64(b))); len(list) > 0 {
			return list, nil
		}
	}
	return nil, fmt.Errorf("no list of scripts in the isolate")
}

// scriptList gives the elements of a weak list whose elements are all scripts; nil for anything else.
func (i *isolate) scriptList(w heap.Word) []heap.Word {
	if !w.IsObject() {
		return nil
	}
	b, err := i.r.Bytes(uint64(w)-1, 24)
	if err != nil {
		return nil
	}
	capacity, length := heap.Word(binary.LittleEndian.Uint64(b[8:])), heap.Word(binary.LittleEndian.Uint64(b[16:]))
	if !capacity.IsSmi() || !length.IsSmi() || length.Smi() < 1 || length.Smi() > capacity.Smi() {
		return nil
	}
	if b, err = i.r.Bytes(uint64(w)-1+24, 8*min(length.Smi(), maxListed)); err != nil {
		return nil
	}
	return i.weak(b, layout.TypeScript)
}

// weak gives the objects that an array refers to weakly; nil if one is of another type.
func (i *isolate) weak(b []byte, typ layout.Field) []heap.Word {
	var out []heap.Word
	for ; len(b) >= 8; b = b[8:] {
		w := heap.Word(binary.LittleEndian.Uint64(b))
		if w.Strong() == w {
			continue // cleared, or empty
		}
		if !i.is(w.Strong(), typ) {
			return nil
		}
		out = append(out, w.Strong())
	}
	return out
}
