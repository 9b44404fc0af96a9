package stack

// Limits of what is kept of one process's WebAssembly.
const (
	maxWasmPoints  = 1 << 16
	maxWasmModules = 1 << 8
	urlTries       = 8  // samples of a round in which a module's URL is looked for
	maxURLPause    = 16 // binary logarithm of the rounds until it is looked for again
)

// wasmAt finds the code of WebAssembly that a frame is in. Nil: there is none.
func (v *Resolver) wasmAt(pc uint64, exact bool) *wasmCode {
	if !exact {
		pc-- // a call may be the last instruction of its function
	}
	if v.code.find(pc) != nil {
		return nil // V8's code for JavaScript is somewhere else
	}
	if c := v.wasm.codes[pc]; c != nil && v.sameWasm(c) {
		return c
	}
	state, ok := v.space.Address(v.r.Layout().WasmState)
	if !ok {
		return nil
	}
	found, err := v.r.WasmCodeAt(state, pc)
	if err != nil {
		return nil
	}
	m := v.wasmModule(found.Module)
	if m == nil {
		return nil
	}
	c := &wasmCode{WasmCode: found, module: m, checked: v.code.round}
	c.tables, _ = v.r.WasmTables(found) // without them the function is known, where it is is not
	c.head, _ = v.r.Bytes(found.Start, int(min(headSize, found.End-found.Start)))
	if len(v.wasm.codes) >= maxWasmPoints {
		clear(v.wasm.codes)
	}
	v.wasm.codes[pc] = c
	return c
}

func (v *Resolver) sameWasm(c *wasmCode) bool {
	if c.checked != v.code.round {
		if v.wasmModule(c.Module) != c.module || !v.r.SameWasm(c.WasmCode) {
			return false
		}
		c.checked = v.code.round
	}
	return true
}

func (v *Resolver) wasmModule(address uint64) *wasmModule {
	m := v.wasm.modules[address]
	if m != nil && (m.checked == v.code.round || v.r.SameModule(m.WasmModule)) {
		m.checked = v.code.round
		return m
	}
	found, err := v.r.WasmModule(address)
	if err != nil {
		return nil
	}
	if len(v.wasm.modules) >= maxWasmModules {
		clear(v.wasm.modules)
	}
	m = &wasmModule{WasmModule: found, checked: v.code.round}
	v.wasm.modules[address] = m
	return m
}
