package agent

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
		return errNothing
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
		return errNothing
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
			return nil, fmt.Errorf("the bytecode at offset %d has %d bytes, the array has %d more", op, size, len(code)-op)
		}
		at = op + size
	}
	return out, nil
}

// checkBaseline goes from baseline code to its instructions, and from those back to the code as the walk of a stack
// does.
func (i *isolate) checkBaseline() error {
	literals, err := i.literals()
	if err != nil {
		return err
	}
	for _, l := range literals {
		w, err := i.slot(l.shared, layout.SFITrustedData)
		switch {
		case err != nil:
		case i.l.Has(layout.TypeBaselineData) && i.is(w, layout.TypeBaselineData):
			if w, err = i.slot(w, layout.BaselineDataCode); err != nil {
				return err
			}
			return i.checkCode(w, func(c *heap.Code) (*heap.Baseline, error) { return i.r.BaselineOf(c, l.shared) },
				layout.TypeBaselineData, layout.BaselineDataCode, layout.BaselineDataBytecode)
		case i.is(w, layout.TypeCode):
			return i.checkCode(w, i.r.Baseline, layout.CodeDeoptData)
		}
	}
	return errNothing
}

// checkCode notes fields besides those that lead to the instructions and back.
func (i *isolate) checkCode(w heap.Word, read func(*heap.Code) (*heap.Baseline, error), fields ...layout.Field) error {
	c, err := i.r.Code(w)
	if err != nil {
		return err
	}
	code, err := i.r.FindCode(c.Start)
	if err != nil {
		return err
	}
	if code.Kind != i.l.At(layout.KindBaseline) || *code != *c {
		return fmt.Errorf("code %#x: kind %d, instructions at %#x", uint64(w), code.Kind, code.Start)
	}
	if _, err := read(c); err != nil {
		return err
	}
	// of the flags only four bits count, which other words have by chance
	i.note(append(fields, layout.TypeCode, layout.TypeInstructionStream)...)
	if i.l.Has(layout.InstructionStreamCode) { // else any distance would lead back
		i.note(layout.CodeInstructionStart, layout.InstructionStreamBody, layout.InstructionStreamCode)
	}
	return nil
}
