package layout

import (
	"slices"
)

// table has one row for each field, in an order in which relative rules find what they refer to.
var table = slices.Concat(isolateRows, objectRows, stringRows, functionRows, scriptRows, codeRows, positionRows,
	deoptRows,
	typeRows, asyncRows, wasmRows, regexpRows, valueRows)

// wantedSymbols lists the symbols that the table and Read ask for.
func wantedSymbols() []string {
	names := slices.Concat([]string{dbgPrefix + "*", symBytecodeSizes, symTranslationOperands, symWasmState,
		symWasmEngine, symWasmShared, symNodeVersion}, blobSymbols, symBuiltins, versionSymbols)
	for _, r := range table {
		if r.code != nil {
			names = append(names, r.code.names...)
		}
	}
	return names
}
