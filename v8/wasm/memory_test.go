package wasm

import (
	"github.com/hotspan/hotspan/v8/heap"
	"github.com/hotspan/hotspan/v8/heap/heaptest"
	"github.com/hotspan/hotspan/v8/layout"
)

// testLayout is that of V8 13.6, by its sources.
func testLayout() *layout.Layout {
	l := &layout.Layout{V8: layout.Version{Major: 13, Minor: 6}}
	for f, n := range map[layout.Field]int64{
		layout.WasmManagerRoot: 0x30, layout.WasmModuleBytes: 0xf0, layout.WasmModuleCode: 0x148,
		layout.WasmModuleNewCode: 0x168, layout.WasmCodeModule: 0, layout.WasmCodeStart: 8,
		layout.WasmCodeTables: 0x18, layout.WasmCodeSize: 0x20, layout.WasmCodeRelocation: 0x24,
		layout.WasmCodePositions: 0x28, layout.WasmCodeInlining: 0x2c, layout.WasmCodeTraps: 0x34,
		layout.WasmInliningEntry: 13, layout.WasmCodeIndex: 0x38, layout.PositionsUnsigned: 0,
		layout.MapInstanceType: 12, layout.TypeWasmModuleObject: 2163, layout.TypeWasmInstanceObject: 2160,
		layout.TypeScript: 167, layout.ScriptWasmModule: 80, layout.ScriptSource: 8, layout.ScriptName: 16,
		layout.StringLength: 12, layout.FirstNonStringType: 128,
	} {
		l.Values[f] = layout.Value{N: n, State: layout.Known}
	}
	return l
}

type image = heaptest.Image[heap.Word]
