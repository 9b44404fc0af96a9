package wasm

import (
	"encoding/binary"
	"fmt"

	"github.com/hotspan/hotspan/v8/heap"
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

const imageBase = 0x100000

// image is memory at imageBase and nothing else. It counts reads.
type image struct {
	b     []byte
	reads int
}

func (m *image) ReadAt(p []byte, off int64) (int, error) {
	m.reads++
	at := uint64(off) - imageBase
	if uint64(off) < imageBase || at > uint64(len(m.b)) || uint64(len(p)) > uint64(len(m.b))-at {
		return 0, fmt.Errorf("no memory at 0x%x, %d bytes", uint64(off), len(p))
	}
	return copy(p, m.b[at:]), nil
}

// put adds an object and returns its tagged address.
func (m *image) put(words ...heap.Word) heap.Word {
	w := heap.Word(imageBase + len(m.b) + 1)
	for _, x := range words {
		m.b = binary.LittleEndian.AppendUint64(m.b, uint64(x))
	}
	return w
}

// set changes a word of an object.
func (m *image) set(object heap.Word, i int, w heap.Word) {
	binary.LittleEndian.PutUint64(m.b[uint64(object)-1-imageBase+8*uint64(i):], uint64(w))
}
