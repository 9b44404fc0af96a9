package layout

// Names by which the embedded blob, V8's builtins, is found: its symbols, which are local, and functions that return
// its address and its size, which are exported until Node 24.14, and in 25.0.
const (
	symBlob      = "v8_Default_embedded_blob_code_"
	symBlobData  = "v8_Default_embedded_blob_code_data_" // until V8 10; symBlob is a pointer to it there
	symBlobSize  = "v8_Default_embedded_blob_code_size_"
	funcBlob     = "_ZN2v88internal23DefaultEmbeddedBlobCodeEv"
	funcBlobSize = "_ZN2v88internal27DefaultEmbeddedBlobCodeSizeEv"
)

// readBuiltins finds the embedded blob. Each builtin in it has a symbol of its own where the blob has.
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
	_, ok1 := im.syms[funcBlob]
	_, ok2 := im.syms[funcBlobSize]
	if !ok1 || !ok2 {
		return 0, 0, false
	}
	place, err1 := im.code(funcBlob)
	length, err2 := im.code(funcBlobSize)
	start, ok1 = im.returned(place)
	n, ok2 := im.returned(length)
	return start, int32(n), ok1 && ok2 && err1 == nil && err2 == nil
}
