package layout

import "encoding/binary"

// Names of symbols of tables that are compiled into the binary.
const (
	symBlob          = "v8_Default_embedded_blob_code_"
	symBlobData      = "v8_Default_embedded_blob_code_data_" // until V8 10; symBlob is a pointer to it there
	symBlobSize      = "v8_Default_embedded_blob_code_size_"
	fnBlob           = "_ZN2v88internal23DefaultEmbeddedBlobCodeEv" // exported until Node 24.10
	fnBlobSize       = "_ZN2v88internal27DefaultEmbeddedBlobCodeSizeEv"
	symBytecodeSizes = "_ZN2v88internal11interpreter9Bytecodes14kBytecodeSizesE"
	// the static array in TranslationOpcodeOperandCount(TranslationOpcode)
	symTranslationOperands = "_ZZN2v88internal29TranslationOpcodeOperandCountENS0_17TranslationOpcodeEE6counts"
)

// readBuiltins finds the embedded blob by symbols, or in a stripped binary by the functions that return its place.
func (l *Layout) readBuiltins(im *image) {
	start, size, ok := im.blobBySymbols()
	if !ok {
		start, size, ok = im.blobByFunctions()
		l.note("no symbol %s: builtins have no names", symBlob)
	}
	if !ok {
		return
	}
	off, inFile := im.fileOffset(start)
	if size <= 0 || !inFile {
		l.note("%s: %d bytes at %#x are not in the file", symBlob, size, start)
		return
	}
	l.Builtins = Range{start, start + uint64(size), off}
}

func (im *image) blobBySymbols() (start uint64, size int32, ok bool) {
	s, ok := im.syms[symBlobData]
	if !ok {
		s, ok = im.syms[symBlob]
	}
	sizeAt, ok2 := im.syms[symBlobSize]
	size, err := im.i32(sizeAt.value)
	return s.value, size, ok && ok2 && err == nil
}

func (im *image) blobByFunctions() (start uint64, size int32, ok bool) {
	at, err1 := im.code(fnBlob)
	length, err2 := im.code(fnBlobSize)
	if err1 != nil || err2 != nil {
		return 0, 0, false
	}
	start, ok1 := im.returned(at)
	n, ok2 := im.returned(length)
	return start, int32(n), ok1 && ok2
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
