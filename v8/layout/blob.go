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

// The same of what the blob says of the builtins.
const (
	symBlobTable      = "v8_Default_embedded_blob_data_"
	symBlobTableData  = "v8_Default_embedded_blob_data_data_"
	symBlobTableSize  = "v8_Default_embedded_blob_data_size_"
	funcBlobTable     = "_ZN2v88internal23DefaultEmbeddedBlobDataEv"
	funcBlobTableSize = "_ZN2v88internal27DefaultEmbeddedBlobDataSizeEv"
)

// blobSymbols are all of these.
var blobSymbols = []string{
	symBlob, symBlobData, symBlobSize, symBlobTable, symBlobTableData, symBlobTableSize,
	funcBlob, funcBlobSize, funcBlobTable, funcBlobTableSize,
}

// blob returns where the code of the builtins is.
func (im *image) blob() (start uint64, size int32, ok bool) {
	if start, size, ok = im.bySymbols(symBlobData, symBlob, symBlobSize); !ok {
		start, size, ok = im.byFunctions(funcBlob, funcBlobSize)
	}
	return start, size, ok
}

// blobTable returns where the blob says what it has.
func (im *image) blobTable() (start uint64, size int32, ok bool) {
	if start, size, ok = im.bySymbols(symBlobTableData, symBlobTable, symBlobTableSize); !ok {
		start, size, ok = im.byFunctions(funcBlobTable, funcBlobTableSize)
	}
	return start, size, ok
}

func (im *image) bySymbols(old, now, length string) (start uint64, size int32, ok bool) {
	s, ok := im.syms[old]
	if !ok {
		s, ok = im.syms[now]
	}
	sizeAt, ok2 := im.syms[length]
	size, err := im.i32(sizeAt.value)
	return s.value, size, ok && ok2 && err == nil
}

func (im *image) byFunctions(address, length string) (start uint64, size int32, ok bool) {
	_, ok1 := im.syms[address]
	_, ok2 := im.syms[length]
	if !ok1 || !ok2 {
		return 0, 0, false
	}
	place, err1 := im.code(address)
	n, err2 := im.code(length)
	start, ok1 = im.returned(place)
	bytes, ok2 := im.returned(n)
	return start, int32(bytes), ok1 && ok2 && err1 == nil && err2 == nil
}
