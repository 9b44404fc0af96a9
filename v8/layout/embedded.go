package layout

import "encoding/binary"

// Names of symbols of tables that are compiled into the binary.
const (
	symBlob          = "v8_Default_embedded_blob_code_"
	symBlobData      = "v8_Default_embedded_blob_code_data_" // until V8 10; symBlob is a pointer to it there
	symBlobSize      = "v8_Default_embedded_blob_code_size_"
	symBytecodeSizes = "_ZN2v88internal11interpreter9Bytecodes14kBytecodeSizesE"
	// the static array in TranslationOpcodeOperandCount(TranslationOpcode)
	symTranslationOperands = "_ZZN2v88internal29TranslationOpcodeOperandCountENS0_17TranslationOpcodeEE6counts"
)

// readBuiltins finds the embedded blob: the symbol of its size holds the size.
func (l *Layout) readBuiltins(im *image) {
	start, ok := im.syms[symBlobData]
	if !ok {
		start, ok = im.syms[symBlob]
	}
	sizeAt, ok2 := im.syms[symBlobSize]
	if !ok || !ok2 {
		l.note("no symbol %s: builtins have no names", symBlob)
		return
	}
	size, err := im.i32(sizeAt.value)
	off, inFile := im.fileOffset(start.value)
	if err != nil || size <= 0 || !inFile {
		l.note("%s: %d bytes at %#x are not in the file", symBlob, size, start.value)
		return
	}
	l.Builtins = Range{start.value, start.value + uint64(size), off}
}

// maxBytecodeSizes bounds kBytecodeSizes: a bytecode is one byte, and there are three tables.
const maxBytecodeSizes = 3 * 256

func (l *Layout) readBytecodeSizes(im *image) {
	s, ok := im.syms[symBytecodeSizes]
	if !ok {
		l.note("no symbol Bytecodes::kBytecodeSizes: lines in Sparkplug code are unknown")
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
		l.note("no symbol TranslationOpcodeOperandCount()::counts: lines of callers in Maglev code may be those of loops around them")
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
