package verify

import (
	"fmt"

	"github.com/hotspan/hotspan/v8/heap"
	"github.com/hotspan/hotspan/v8/layout"
)

// enoughCode is how many functions' code is compared.
const enoughCode = 50

// maxBytecodes bounds the bytes of one function's bytecode.
const maxBytecodes = 1 << 20

// checkBytecode steps through bytecodes by their sizes: they must end where the array does, and each entry of the table
// of source positions must belong to one.
func (i *isolate) checkBytecode() error {
	if len(i.l.BytecodeSizes) == 0 {
		return ErrNothing
	}
	literals, err := i.literals()
	if err != nil {
		return err
	}
	compared, entries := 0, 0
	for _, l := range literals {
		w, err := i.slot(l.shared, layout.SFITrustedData)
		if err != nil {
			return err
		}
		if !i.is(w, layout.TypeBytecodeArray) {
			continue
		}
		n, err := i.stepBytecode(w)
		if err != nil {
			return fmt.Errorf("bytecode %#x: %w", uint64(w), err)
		}
		entries += n
		if compared++; compared == enoughCode {
			break
		}
	}
	if compared == 0 {
		return ErrNothing
	}
	i.note(layout.SFITrustedData, layout.TypeBytecodeArray, layout.BytecodeArrayLength, layout.BytecodeArrayFirstByte)
	if entries > 0 {
		i.note(layout.BytecodeArrayPositions, layout.PositionsUnsigned)
	}
	return nil
}

// stepBytecode returns the number of entries of the table of positions.
func (i *isolate) stepBytecode(w heap.Word) (int, error) {
	length, err := i.slot(w, layout.BytecodeArrayLength)
	if err != nil || !length.IsSmi() || length.Smi() < 1 || length.Smi() > maxBytecodes {
		return 0, fmt.Errorf("length %#x: %w", uint64(length), unlike(err))
	}
	code, err := i.r.Bytes(uint64(w)-1+uint64(i.l.At(layout.BytecodeArrayFirstByte)), length.Smi())
	if err != nil {
		return 0, err
	}
	starts, err := bytecodeStarts(code, i.l.BytecodeSizes)
	if err != nil {
		return 0, err
	}
	table, err := i.slot(w, layout.BytecodeArrayPositions)
	if err != nil || table.IsSmi() || !i.l.Has(layout.PositionsUnsigned) {
		return 0, err // there is no table before an error was thrown
	}
	b, err := i.r.Bytecode(w)
	if err != nil {
		return 0, nil // it is undefined, for the same reason
	}
	for _, p := range b.Positions {
		if p.Code >= 0 && !starts[int(p.Code)] {
			return 0, fmt.Errorf("a source position at offset %d, inside a bytecode", p.Code)
		}
	}
	return len(b.Positions), nil
}

// The first four bytecodes are prefixes: Wide, ExtraWide, and the same of the debugger. (src/interpreter/bytecodes.h)
const prefixes = 4

// bytecodeStarts gives the offsets at which bytecodes begin. sizes is Layout.BytecodeSizes.
func bytecodeStarts(code, sizes []byte) (map[int]bool, error) {
	n := len(sizes) / 3
	out := map[int]bool{}
	for at := 0; at < len(code); {
		out[at] = true
		width, op := 0, at
		if code[at] < prefixes {
			width, op = 1+int(code[at])%2, at+1
		}
		if op >= len(code) || int(code[op]) >= n {
			return nil, fmt.Errorf("no bytecode at offset %d", op)
		}
		size := int(sizes[width*n+int(code[op])])
		if size == 0 || op+size > len(code) {
			return nil, fmt.Errorf("the bytecode at offset %d has %d bytes, the array has %d more", op, size,
				len(code)-op)
		}
		at = op + size
	}
	return out, nil
}
