package wasm

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/hotspan/hotspan/v8/heap"
	"github.com/hotspan/hotspan/v8/layout"
)

// maxInstance is how many words of an instance, or of a module's object, are looked through.
const maxInstance = 96

// ErrAsmJS says that a module was made of asm.js: its script is that of the JavaScript. (src/wasm/wasm-engine.cc,
// FinalizeTranslatedAsmJs)
var ErrAsmJS = errors.New("a module of asm.js")

// URL is that of the module, as in wasm://wasm/name-1a2b3c4d, which V8 makes from a hash that nothing else tells.
// instance is what a frame of its code holds: it leads to the module's object, and that to the Script. Their
// places in the objects change with each V8, but not their types; and the Script says which module it is of.
func (m *Module) URL(r *heap.Reader, instance heap.Word) (string, error) {
	object, err := partOf(r, instance, layout.TypeWasmModuleObject)
	if err != nil && r.Layout().Has(layout.TypeWasmInstanceObject) { // the frame has the instance's trusted data
		var inner heap.Word
		if inner, err = partOf(r, instance, layout.TypeWasmInstanceObject); err == nil {
			object, err = partOf(r, inner, layout.TypeWasmModuleObject)
		}
	}
	if err != nil {
		return "", err
	}
	script, err := partOf(r, object, layout.TypeScript)
	if err != nil {
		return "", err
	}
	if !m.isManagedBy(r, script) {
		if source, err := r.Part(script, layout.ScriptSource); err == nil {
			if n, err := r.StringUnits(source); err == nil && n > 0 {
				return "", ErrAsmJS
			}
		}
		return "", fmt.Errorf("script 0x%x is not of module 0x%x", uint64(script), m.address)
	}
	return r.ScriptName(script)
}

// partOf finds the first object of a type that an object refers to.
func partOf(r *heap.Reader, object heap.Word, typ layout.Field) (heap.Word, error) {
	object, _, err := r.Forwarded(object)
	if err != nil {
		return 0, err
	}
	b := r.UpTo(uint64(object)-1, 8*maxInstance)
	for at := 8; at+8 <= len(b); at += 8 {
		if w := heap.Word(binary.LittleEndian.Uint64(b[at:])); w.IsObject() {
			if got, err := r.Type(w); err == nil && got == r.Layout().At(typ) {
				return w, nil
			}
		}
	}
	return 0, fmt.Errorf("object 0x%x has no %v: %w", uint64(object), typ, heap.ErrNotFound)
}

// maxManaged is how many words of what a Managed points to are looked through for its shared pointer.
const maxManaged = 8

// isManagedBy reports whether a Script's Managed keeps the NativeModule: it is a Foreign, whose address is that of an
// object with a pointer to the std::shared_ptr. (src/objects/managed.h, ManagedPtrDestructor)
func (m *Module) isManagedBy(r *heap.Reader, script heap.Word) bool {
	managed, err := r.Part(script, layout.ScriptWasmModule)
	if err != nil || !managed.IsObject() {
		return false
	}
	destructor, err := r.WordAt(uint64(managed) - 1 + 8)
	if err != nil {
		return false
	}
	for b := r.UpTo(uint64(destructor), 8*maxManaged); len(b) >= 8; b = b[8:] {
		if w, err := r.WordAt(binary.LittleEndian.Uint64(b)); err == nil && uint64(w) == m.address {
			return true
		}
	}
	return false
}
