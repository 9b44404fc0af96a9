package functions

import (
	"testing"
	"time"

	"github.com/hotspan/hotspan/v8/heap"
	"github.com/hotspan/hotspan/v8/layout"
)

// wasmSpace is memory that has V8's state of WebAssembly at an address.
type wasmSpace struct{ *codeSpace }

func (m wasmSpace) Address(uint64) (uint64, bool) { return wasmState, true }

const wasmState = 0x6000

// TestLookingForWasmInVain is TestLookingInVain for WebAssembly. Of a module all code is said to be new.
func TestLookingForWasmInVain(t *testing.T) {
	const manager, node, module, list, pc, codes = 0x6100, 0x6200, 0x6300, 0x7000, 0x100000, 200
	m, known := newCodeSpace()
	for at, value := range map[uint64]uint64{
		wasmState: manager, manager: node, node + 32: pc, node + 40: 2 * pc, node + 48: module, module + 8: list,
		module + 16: list + 8*codes,
	} {
		m.word(at, value)
	}
	l := known.r.Layout()
	for _, f := range []layout.Field{
		layout.WasmManagerRoot, layout.WasmModuleBytes, layout.WasmModuleCode, layout.WasmCodeModule,
		layout.WasmCodeStart, layout.WasmCodeTables, layout.WasmCodeSize, layout.WasmCodeRelocation,
		layout.WasmCodePositions, layout.WasmCodeTraps, layout.WasmCodeIndex, layout.WasmCodeInlining,
	} {
		l.Values[f] = layout.Value{State: layout.Known}
	}
	l.Values[layout.WasmModuleNewCode] = layout.Value{State: layout.Known, N: 8}
	v := NewResolver(heap.NewReader(m, l), wasmSpace{m})
	v.Begin(Moment{Isolate: 1, Thread: 1})
	began := time.Now()
	for at := range uint64(2 * maxVain / codes) {
		if v.wasmAt(pc+at, true) != nil {
			t.Fatal("there is code")
		}
	}
	if n := v.r.Reads(); n < maxVain || n > maxVain+10*codes+int(maxVain*time.Since(began).Seconds()) {
		t.Errorf("it took %d reads", n)
	}
}

// TestLookingInVain: frames at places without code do not keep hotspan from other samples, however many there are. Code
// is found again after a rest.
func TestLookingInVain(t *testing.T) {
	m, known := newCodeSpace()
	m.compile(place, 0x2000, 100)
	v := NewResolver(heap.NewReader(m, known.r.Layout()), m)
	v.Begin(Moment{Isolate: 1, Thread: 1})
	began := time.Now()
	for at := range uint64(2 * maxVain) {
		if v.codeOf(uint64(place)-1-at) != nil {
			t.Fatal("there is code")
		}
	}
	if n := v.r.Work(); n < maxVain || n > maxVain+1000+int(maxVain*time.Since(began).Seconds()) {
		t.Errorf("it took %d reads", n)
	}
	v.vain = heap.NewEffort(maxVain, maxVain)
	if v.codeOf(pc) == nil {
		t.Error("no code after a rest")
	}
}

// Where there was no code is looked at again soon, and then ever more seldom.
func TestMissesLastLonger(t *testing.T) {
	m := misses{}
	want := []time.Duration{8, 16, 32, 64, 128, 256, 256}
	for _, milliseconds := range want {
		m.add(5)
		last := m[5]
		if last.lasts != milliseconds*time.Millisecond || !m.has(5) || m.has(6) {
			t.Fatalf("%+v, want %d ms", last, milliseconds)
		}
		last.at = last.at.Add(-last.lasts)
		m[5] = last
		if m.has(5) {
			t.Errorf("still missed after %v", last.lasts)
		}
	}
	for pc := range uint64(2 * maxMisses) {
		m.add(pc)
	}
	if len(m) > maxMisses {
		t.Errorf("%d misses are kept", len(m))
	}
}
