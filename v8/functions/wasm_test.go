package functions

import (
	"testing"

	"github.com/hotspan/hotspan/v8/heap"
	"github.com/hotspan/hotspan/v8/layout"
	"github.com/hotspan/hotspan/v8/wasm"
)

// TestModuleURL: a module whose URL could not be read in many samples of a round, since V8 has moved the instance, has
// it in a later round.
func TestModuleURL(t *testing.T) {
	const instance, object, script, managed, pointer, text = 0x2000, 0x2400, 0x2800, 0x2c00, 0x2c40, 0x3000
	m, v := newCodeSpace()
	class := func(at uint64, typ byte) uint64 {
		m.bytes[at+typeAt] = typ
		return at | 1
	}
	l := v.r.Layout()
	for f, n := range map[layout.Field]int64{
		layout.TypeWasmModuleObject: 110, layout.TypeScript: 111, layout.ScriptName: 8, layout.ScriptWasmModule: 16,
		layout.FirstNonStringType: 64, layout.StringRepresentationMask: 7, layout.StringOneByteBit: 8,
		layout.StringLength: 12, layout.SeqStringTag: 0, layout.SeqStringChars: 16,
	} {
		l.Values[f] = layout.Value{State: layout.Known, N: n}
	}
	m.word(object, class(0x1200, 110))
	m.word(object+8, script|1)
	m.word(script, class(0x1300, 111))
	m.word(script+8, text|1)
	m.word(script+16, managed|1)
	m.word(managed+8, pointer)
	m.word(pointer, pointer+8) // the module is at address 0
	m.word(text, class(0x1400, 8))
	m.bytes[text+12] = byte(copy(m.bytes[text+16:], "wasm://wasm/1a2b3c4d"))

	module := &wasmModule{Module: &wasm.Module{}}
	for v.Renew(0); module.tries < urlTries; {
		if v.wasmURL(module, instance|1) {
			t.Fatalf("the URL is %s, while nothing leads to it", module.url)
		}
	}
	m.word(instance, class(0x1500, 112))
	m.word(instance+8, object|1)
	if v.wasmURL(module, instance|1); module.tries > urlTries {
		t.Errorf("%d tries in a round, want %d", module.tries, urlTries)
	}
	if v.Renew(0); !v.wasmURL(module, instance|1) || module.url != "wasm://wasm/1a2b3c4d" {
		t.Errorf("the URL is %q", module.url)
	}

	// what is never found takes ever fewer reads
	other := &wasmModule{Module: &wasm.Module{}}
	for range 1 << 12 {
		v.Renew(0)
		for range 100 {
			v.wasmURL(other, 0x5000|1)
		}
	}
	if other.tries < 3*urlTries || other.tries > 16*urlTries {
		t.Errorf("%d tries in 4096 rounds", other.tries)
	}
}

// TestExportedName: the function by which JavaScript calls one of WebAssembly has the number of that as its name, and
// the module, without source, as its script.
func TestExportedName(t *testing.T) {
	v := &Resolver{}
	for _, tt := range []struct {
		name, script string
		length       int
		want         string
	}{
		{"24", "wasm://wasm/8c0ce646", 0, "wasm-function[24]"},
		{"24", "wasm://wasm/8c0ce646", 100, "24"}, // a method, under a sourceURL
		{"24", "file.js", 0, "24"},
		{"2a", "wasm://wasm/8c0ce646", 0, "2a"},
	} {
		f := &heap.Function{Name: tt.name}
		s := &script{Script: &heap.Script{Name: tt.script, Length: tt.length}}
		if got := v.nameOf(f, s); got != tt.want {
			t.Errorf("%+v is named %q", tt, got)
		}
	}
}
