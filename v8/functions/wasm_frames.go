package functions

import (
	"errors"

	"github.com/hotspan/hotspan/v8/heap"
	"github.com/hotspan/hotspan/v8/layout"
	"github.com/hotspan/hotspan/v8/stack"
	"github.com/hotspan/hotspan/v8/wasm"
)

// WebAssembly resolves a frame of WebAssembly, or between it and JavaScript. Nil: it is something else.
func (v *Resolver) WebAssembly(raw stack.RawFrame) []*Frame {
	l := v.r.Layout()
	switch c := v.wasmAt(raw.PC, raw.Exact); {
	case c != nil && c.Index < 0:
		return wasmFrames
	case c != nil && c.Index >= c.module.Imported():
		return v.wasmCalls(c, raw)
	case raw.Marker < 0:
		return nil
	case raw.Marker == l.At(layout.WasmFrameMarker) && c == nil:
		return goneWasmFrames
	case raw.Marker == l.At(layout.WasmFrameMarker):
		return wasmFrames
	case raw.Marker == l.At(layout.WasmToJSFrameMarker):
		return wasmToJSFrames
	case raw.Marker == l.At(layout.JSToWasmFrameMarker):
		return jsToWasmFrames
	}
	return nil
}

func (v *Resolver) wasmCalls(c *wasmPoint, raw stack.RawFrame) []*Frame {
	known := v.wasmURL(c.module, raw.Instance)
	if c.frames != nil && c.known == known {
		return c.frames
	}
	c.frames, c.known = v.wasmCallsAt(c, raw), known
	return c.frames
}

// wasmCallsAt resolves a frame anew. V8 keeps the positions of calls, and of what may trap: any other instruction may
// be of each function that is inlined into the code, or of its own.
func (v *Resolver) wasmCallsAt(c *wasmPoint, raw stack.RawFrame) (frames []*Frame) {
	own := wasm.Call{Function: c.Index, Offset: -1}
	if raw.Exact && c.tables.Inlines() {
		f := v.wasmFrame(c.module, own)
		return []*Frame{{Name: "[" + f.Name + " or inlined]", File: f.File, Kind: Wasm, Inlined: true}, f}
	}
	at := int(raw.PC - c.Start)
	if !raw.Exact {
		at--
	}
	calls := []wasm.Call{own}
	if c.tables != nil {
		if all := c.tables.Calls(c.Index, at); all != nil {
			calls = all
		}
	}
	for i, call := range calls {
		f := v.wasmFrame(c.module, call)
		f.Inlined = i < len(calls)-1
		frames = append(frames, f)
	}
	return frames
}

// wasmFrame is the frame of a point in a module. As V8 numbers them, the module is one line of bytes. Those of a module
// that was made of asm.js nobody sees.
func (v *Resolver) wasmFrame(m *wasmModule, call wasm.Call) *Frame {
	f := &Frame{Name: m.FunctionName(call.Function), File: m.url, Kind: Wasm}
	if body, ok := m.Body(v.r, call.Function); ok && call.Offset >= 0 && !m.asm {
		f.Line, f.Column = 1, body+call.Offset+1
	}
	return f
}

// wasmURL finds the URL of a module, and reports whether it is known, or that there is none. An instance that V8 has
// moved since the sample does not lead to it, nor do those of the samples before: a few tries in one round of samples,
// and after twice as many rounds each time a few more.
func (v *Resolver) wasmURL(m *wasmModule, instance heap.Word) bool {
	if m.url != "" || m.asm || instance == 0 || v.code.round < m.next {
		return m.url != "" || m.asm
	}
	var err error
	m.url, err = m.URL(v.r, instance)
	if m.asm = errors.Is(err, wasm.ErrAsmJS); m.asm {
		return true
	}
	if m.tries++; m.tries%urlTries == 0 {
		m.next = v.code.round + 1<<min(m.tries/urlTries-1, maxURLPause)
	}
	return m.url != ""
}

var (
	wasmFrames     = []*Frame{{Name: "[wasm]", Kind: Wasm}}
	goneWasmFrames = []*Frame{{Name: "[wasm]", Kind: Wasm, Lost: LostCode}}
	wasmToJSFrames = []*Frame{{Name: "[wasm to js]", Kind: Wasm}}
	jsToWasmFrames = []*Frame{{Name: "[js to wasm]", Kind: Wasm}}
)
