package functions

import (
	"github.com/hotspan/hotspan/v8/functions/repair"
	"github.com/hotspan/hotspan/v8/wasm"
)

// Limits of what is kept of one process's WebAssembly.
const (
	maxWasmCodes   = 1 << 14
	maxWasmPoints  = 1 << 16
	maxWasmModules = 1 << 8
	urlTries       = 8  // samples of a round in which a module's URL is looked for
	maxURLPause    = 16 // binary logarithm of the rounds until it is looked for again
)

// wasmAt finds the code of WebAssembly that a frame is in. Nil: there is none.
func (v *Resolver) wasmAt(pc uint64, exact bool) *wasmPoint {
	if !exact {
		pc-- // a call may be the last instruction of its function
	}
	if v.code.find(pc) != nil {
		return nil // V8's code for JavaScript is somewhere else
	}
	if p := v.wasm.points[pc]; p != nil && v.sameWasm(p.wasmCode) {
		return p
	}
	state, ok := v.space.Address(v.r.Layout().WasmState)
	if !ok || v.vain.Rests() || v.rests() {
		return nil
	}
	before := v.r.Work()
	found, err := wasm.CodeAt(v.r, state, pc)
	if err != nil {
		v.vain.Add(v.r.Work() - before)
	}
	if err != nil || v.room.short() {
		return nil
	}
	c := v.wasmCode(found)
	if c == nil {
		return nil
	}
	if len(v.wasm.points) >= maxWasmPoints {
		clear(v.wasm.points)
	}
	p := &wasmPoint{wasmCode: c}
	v.wasm.points[pc] = p
	return p
}

// wasmCode returns what is known of code, or reads it. Nil: its module cannot be read.
func (v *Resolver) wasmCode(found *wasm.Code) *wasmCode {
	if old := v.wasm.codes[found.Start]; old != nil && *old.Code == *found && v.sameWasm(old) {
		return old
	}
	m := v.wasmModule(found.Module)
	if m == nil {
		return nil
	}
	c := &wasmCode{Code: found, module: m, checked: v.code.round}
	// Without tables the function is known, where it is is not.
	c.tables, _ = found.Tables(v.r)
	v.room.take(c.tables.Size())
	c.head, _ = v.r.Bytes(found.Start, int(min(repair.HeadSize, found.End-found.Start)))
	if len(v.wasm.codes) >= maxWasmCodes {
		clear(v.wasm.codes)
		clear(v.wasm.points)
	}
	v.wasm.codes[found.Start] = c
	return c
}

func (v *Resolver) sameWasm(c *wasmCode) bool {
	if c.checked != v.code.round {
		if v.wasmModule(c.Module) != c.module || !c.Same(v.r) {
			return false
		}
		c.checked = v.code.round
	}
	return true
}

func (v *Resolver) wasmModule(address uint64) *wasmModule {
	m := v.wasm.modules[address]
	if m != nil && (m.checked == v.code.round || m.Same(v.r)) {
		m.checked = v.code.round
		return m
	}
	if v.rests() {
		return nil
	}
	found, err := wasm.ReadModule(v.r, address)
	if err != nil {
		return nil
	}
	v.room.take(found.Size())
	if len(v.wasm.modules) >= maxWasmModules {
		clear(v.wasm.modules)
	}
	m = &wasmModule{Module: found, checked: v.code.round}
	v.wasm.modules[address] = m
	return m
}
