package nodejs

import (
	"github.com/hotspan/hotspan/v8/heap"
	"github.com/hotspan/hotspan/v8/layout"
)

// TopLevel leads to the object that is the resource while the stack of resources is empty, as where a module that is
// the main program begins, and what goes on from there until a first callback. It is a variable of Node's JavaScript,
// in the context of the functions that V8 calls for promises. (node: lib/internal/async_hooks.js, topLevelResource)
type TopLevel struct {
	Hook  uint64 // address of the handle of such a function; 0 = there is none yet, or none is known
	Slot  int    // word of the context that has the object
	Words int    // of the context
}

// findTopLevel finds it by the name of the variable; the list of native resources ends at an address.
func findTopLevel(r *heap.Reader, end uint64) TopLevel {
	first := end + uint64(promiseHooks.value())
	for at := first; at < first+4*8; at += 8 {
		scope, _ := r.Scope(contextOfHook(r, at))
		for i, v := range scope.Variables {
			if v.Name == "topLevelResource" {
				return TopLevel{at, scope.Words - len(scope.Variables) + i, scope.Words}
			}
		}
	}
	return TopLevel{}
}

// contextOfHook is the context of the function behind a handle; 0 if there is none.
func contextOfHook(r *heap.Reader, at uint64) heap.Word {
	function, ok := readHandle(r, at)
	if !ok || !r.Layout().Has(layout.JSFunctionContext) {
		return 0
	}
	context, _ := r.Part(function, layout.JSFunctionContext)
	return context
}

// resource reads the object; 0 if there is none.
func (t *TopLevel) resource(r *heap.Reader) heap.Word {
	context := contextOfHook(r, t.Hook)
	if n, err := r.StoreLength(context); err != nil || n != t.Words {
		return 0
	}
	w, err := r.WordAt(uint64(context) - 1 + uint64(r.Layout().At(layout.FixedArrayData)+8*t.Slot))
	if err != nil || !isJSObject(r, w) {
		return 0
	}
	return w
}
