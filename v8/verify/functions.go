package verify

import (
	"fmt"

	"github.com/hotspan/hotspan/v8/heap"
	"github.com/hotspan/hotspan/v8/layout"
)

// Limits of the search for functions in the native context: its slots, and how many functions are enough.
const (
	contextSlots  = 512
	manyFunctions = 20
)

// functions are JSFunctions in the native context, which the hidden class of every context refers to.
func (i *isolate) functions() ([]heap.Word, error) {
	context, err := i.context()
	if err != nil {
		return nil, err
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
