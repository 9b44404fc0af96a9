package functions

import "github.com/hotspan/hotspan/v8/wasm"

// wasmKept is what is known of the WebAssembly of one process.
type wasmKept struct {
	modules map[uint64]*wasmModule // by address of the NativeModule
	codes   map[uint64]*wasmCode   // by where it begins
	points  map[uint64]*wasmPoint  // by pc
}

func newWasm() wasmKept {
	return wasmKept{map[uint64]*wasmModule{}, map[uint64]*wasmCode{}, map[uint64]*wasmPoint{}}
}

type wasmModule struct {
	*wasm.Module
	url     string
	asm     bool   // it was made of asm.js
	tries   int    // to find the URL
	next    uint64 // round from which on it is looked for again
	checked uint64
}

// wasmCode is the code of one function.
type wasmCode struct {
	*wasm.Code
	module  *wasmModule
	tables  *wasm.Tables
	head    []byte
	checked uint64 // round in which it was last found unchanged
}

// wasmPoint is a point of execution in it.
type wasmPoint struct {
	*wasmCode
	frames []*Frame
	known  bool // the frames have the module's URL, if it has one
}
