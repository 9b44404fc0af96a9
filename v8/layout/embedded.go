package layout

import "encoding/binary"

// Names of symbols of tables that are compiled into the binary.
const (
	symBytecodeSizes = "_ZN2v88internal11interpreter9Bytecodes14kBytecodeSizesE"
	// the static array in TranslationOpcodeOperandCount(TranslationOpcode)
	symTranslationOperands = "_ZZN2v88internal29TranslationOpcodeOperandCountENS0_17TranslationOpcodeEE6counts"
	// static variables of src/wasm/wasm-engine.cc: global_wasm_state; the pointer to the WasmEngine in V8 9.2; the
	// shared pointer to it until 9.1
	symWasmState  = "_ZN2v88internal4wasm12_GLOBAL__N_117global_wasm_stateE"
	symWasmEngine = "_ZN2v88internal4wasm12_GLOBAL__N_118global_wasm_engineE"
	symWasmShared = "_ZZN2v88internal4wasm12_GLOBAL__N_119GetSharedWasmEngineEvE6object"
)

// maxBytecodeSizes bounds kBytecodeSizes: a bytecode is one byte, and there are three tables.
const maxBytecodeSizes = 3 * 256

func (l *Layout) readBytecodeSizes(im *image) {
	s, ok := im.syms[symBytecodeSizes]
	if !ok {
		if l.BytecodeSizes = official(l.V8, "bytecodes"); l.BytecodeSizes == nil {
			l.note("no symbol Bytecodes::kBytecodeSizes: lines in Sparkplug code are unknown")
		} else {
			l.note("no symbol Bytecodes::kBytecodeSizes: assumed to be as in the official build")
		}
		return
	}
	b, err := im.bytes(s.value, int(min(s.size, maxBytecodeSizes)))
	if err != nil || len(b) == 0 || len(b)%3 != 0 {
		l.note("Bytecodes::kBytecodeSizes: %d bytes is not three tables (%v)", len(b), err)
		return
	}
	l.BytecodeSizes = b
}

// An opcode is one byte, and bytes that are no opcode mean something too. V8's own limit of operands is
// kMaxTranslationOperandCount, 5 or 6. (src/deoptimizer/translation-opcode.h)
const (
	maxTranslationOpcodes  = 255
	maxTranslationOperands = 16
)

func (l *Layout) readTranslationOperands(im *image) {
	s, ok := im.syms[symTranslationOperands]
	if !ok {
		if l.TranslationOperands = official(l.V8, "operands"); l.TranslationOperands != nil {
			return
		}
		l.note("no symbol TranslationOpcodeOperandCount()::counts: lines of callers in Maglev code may be those " +
			"of loops around them")
		return
	}
	b, err := im.bytes(s.value, int(min(s.size, 4*maxTranslationOpcodes)))
	if err != nil || len(b) == 0 || len(b)%4 != 0 {
		l.note("TranslationOpcodeOperandCount()::counts: %d bytes is no array of ints (%v)", len(b), err)
		return
	}
	counts := make([]byte, len(b)/4)
	for i := range counts {
		n := binary.LittleEndian.Uint32(b[4*i:])
		if n > maxTranslationOperands {
			l.note("TranslationOpcodeOperandCount()::counts: %d operands of opcode %d", n, i)
			return
		}
		counts[i] = byte(n)
	}
	l.TranslationOperands = counts
}

func (l *Layout) readWasmState(im *image) {
	for _, name := range []string{symWasmState, symWasmEngine, symWasmShared} {
		if s, ok := im.syms[name]; ok {
			l.WasmState = s.value
			return
		}
	}
	l.note("no symbol global_wasm_state: WebAssembly functions have no names")
}
