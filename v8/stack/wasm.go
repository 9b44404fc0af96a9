package stack

import (
	"bytes"

	"github.com/hotspan/hotspan/v8/heap"
	"github.com/hotspan/hotspan/v8/layout"
)

// Limits of what is kept of one process's WebAssembly.
const (
	maxWasmPoints  = 1 << 16
	maxWasmModules = 1 << 8
	maxURLTries    = 8 // samples in which a module's URL is looked for
)

// wasm is what is known of the WebAssembly of one process.
type wasm struct {
	modules map[uint64]*wasmModule // by address of the NativeModule
	codes   map[uint64]*wasmCode   // by pc
}

type wasmModule struct {
	*heap.WasmModule
	url     string
	tries   int // to find the URL
	checked uint64
}

type wasmCode struct {
	*heap.WasmCode
	module  *wasmModule
	tables  *heap.WasmTables
	head    []byte
	checked uint64 // epoch in which it was last found unchanged
	frames  []*Frame
	known   bool // the frames have the module's URL
}

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
	c := &wasmCode{WasmCode: found, module: m, checked: v.code.epoch}
	c.tables, _ = v.r.WasmTables(found) // without them the function is known, where it is is not
	c.head, _ = v.r.Bytes(found.Start, int(min(headSize, found.End-found.Start)))
	if len(v.wasm.codes) >= maxWasmPoints {
		clear(v.wasm.codes)
	}
	v.wasm.codes[pc] = c
	return c
}

func (v *Resolver) sameWasm(c *wasmCode) bool {
	if c.checked != v.code.epoch {
		if v.wasmModule(c.Module) != c.module || !v.r.SameWasm(c.WasmCode) {
			return false
		}
		c.checked = v.code.epoch
	}
	return true
}

func (v *Resolver) wasmModule(address uint64) *wasmModule {
	m := v.wasm.modules[address]
	if m != nil && (m.checked == v.code.epoch || v.r.SameModule(m.WasmModule)) {
		m.checked = v.code.epoch
		return m
	}
	found, err := v.r.WasmModule(address)
	if err != nil {
		return nil
	}
	if len(v.wasm.modules) >= maxWasmModules {
		clear(v.wasm.modules)
	}
	m = &wasmModule{WasmModule: found, checked: v.code.epoch}
	v.wasm.modules[address] = m
	return m
}

// WebAssembly resolves a frame of WebAssembly, or between it and JavaScript. Nil: it is something else.
func (v *Resolver) WebAssembly(raw RawFrame) []*Frame {
	l := v.r.Layout()
	if c := v.wasmAt(raw.PC, raw.Exact); c != nil && c.Index >= c.module.Imported() {
		return v.wasmCalls(c, raw)
	}
	switch {
	case raw.Marker < 0:
		return nil
	case raw.Marker == l.At(layout.WasmFrameMarker):
		return wasmFrames
	case raw.Marker == l.At(layout.WasmToJSFrameMarker):
		return wasmToJSFrames
	case raw.Marker == l.At(layout.JSToWasmFrameMarker):
		return jsToWasmFrames
	}
	return nil
}

func (v *Resolver) wasmCalls(c *wasmCode, raw RawFrame) []*Frame {
	known := v.wasmURL(c.module, raw.Instance)
	if c.frames != nil && c.known == known {
		return c.frames
	}
	at := int(raw.PC - c.Start)
	if !raw.Exact {
		at--
	}
	calls := []heap.WasmCall{{Function: c.Index, Offset: -1}}
	if c.tables != nil {
		if all := c.tables.Calls(c.Index, at); all != nil {
			calls = all
		}
	}
	c.frames, c.known = nil, known
	for i, call := range calls {
		f := &Frame{Name: c.module.FunctionName(call.Function), File: c.module.url, Kind: Wasm, Inlined: i < len(calls)-1}
		if body, ok := v.r.Body(c.module.WasmModule, call.Function); ok && call.Offset >= 0 {
			f.Line, f.Column = 1, body+call.Offset+1 // as V8 numbers them: the module is one line of bytes
		}
		c.frames = append(c.frames, f)
	}
	return c.frames
}

// wasmURL finds the URL of a module, and reports whether it is known.
func (v *Resolver) wasmURL(m *wasmModule, instance heap.Word) bool {
	if m.url == "" && m.tries < maxURLTries && instance != 0 {
		m.tries++
		m.url, _ = v.r.WasmScript(instance, m.WasmModule)
	}
	return m.url != ""
}

// Liftoff's code has its frame made by a builtin, WasmLiftoffFrameSetup: mov r12d,index or xor r12d,r12d, and a call.
// (src/wasm/baseline/x64/liftoff-assembler-x64-inl.h, CallFrameSetupStub)
var liftoffEntries = []struct {
	head []byte
	call int // offset of the call
}{{[]byte{0x41, 0xbc}, 6}, {[]byte{0x45, 0x31, 0xe4}, 3}}

// repairWasm corrects a leaf in WebAssembly's code.
func (v *Resolver) repairWasm(raw RawFrame, leaf Leaf, c *wasmCode) []RawFrame {
	at := int(raw.PC - c.Start)
	for _, e := range liftoffEntries {
		if bytes.HasPrefix(c.head, e.head) && len(c.head) > e.call && c.head[e.call] == 0xe8 && at <= e.call {
			return v.above(RawFrame{PC: raw.PC, Exact: true, Marker: -1, Offset: -1, ID: heap.Identity{Script: -1}}, raw, leaf, 0)
		}
	}
	return v.repairOther(raw, leaf, c.Start, c.head)
}

// liftoffSetup corrects a leaf in the builtin that makes the frame of Liftoff's code: it takes its own return address off
// the stack, and pushes rbp.
func (v *Resolver) liftoffSetup(raw RawFrame, leaf Leaf, start uint64) []RawFrame {
	self := RawFrame{PC: raw.PC, Exact: true, Marker: 0, ID: heap.Identity{Script: -1}}
	switch raw.PC - start {
	case 0, 2:
		return v.above(self, raw, leaf, 1)
	case 1:
		return v.above(self, raw, leaf, 0)
	}
	return []RawFrame{raw}
}

var (
	wasmFrames     = []*Frame{{Name: "[wasm]", Kind: Wasm}}
	wasmToJSFrames = []*Frame{{Name: "[wasm to js]", Kind: Wasm}}
	jsToWasmFrames = []*Frame{{Name: "[js to wasm]", Kind: Wasm}}
)
