package verify

import (
	"fmt"

	"github.com/hotspan/hotspan/v8/heap"
	"github.com/hotspan/hotspan/v8/layout"
)

// checkBaseline goes from baseline code to its instructions, and from those back to the code as a stack walk does.
func (i *isolate) checkBaseline() error {
	literals, err := i.literals()
	if err != nil {
		return err
	}
	for _, l := range literals {
		w, err := i.slot(l.shared, layout.SFITrustedData)
		switch {
		case err != nil || i.withoutPositions(l.shared):
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
	return ErrNothing
}

// withoutPositions reports whether the bytecode of a function has no table of positions. V8 makes that at first only in
// an isolate in which Node.js has asked for it.
func (i *isolate) withoutPositions(shared heap.Word) bool {
	array, err := i.r.BytecodeOf(shared)
	if err != nil {
		return false
	}
	table, err := i.slot(array, layout.BytecodeArrayPositions)
	return err == nil && (table.IsSmi() || i.is(table, layout.TypeOddball))
}

// checkCode notes fields besides those that lead to the instructions and back.
func (i *isolate) checkCode(w heap.Word, read func(*heap.Code) (*heap.Baseline, error), fields ...layout.Field) error {
	c, err := i.r.Code(w)
	if err != nil {
		return err
	}
	code, err := i.r.FindCode(c.Start, new(heap.Word))
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
