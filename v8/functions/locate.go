package functions

import (
	"cmp"
	"errors"

	"github.com/hotspan/hotspan/v8/heap"
)

// bytecode returns the bytecode that a frame of a function runs. It is at the address that the frame has; where the
// frame is not set up, which is 0, the SharedFunctionInfo has the current one. V8 flushes bytecode that has not run for
// a while and compiles it again, to other bytecode if coverage has begun meanwhile: so what was read before counts only
// where the frame has the same address, or nothing can be read. Nil: none is known.
func (v *Resolver) bytecode(fn *function, at, sfi heap.Word) *heap.Bytecode {
	if at == fn.bytecodeAt && fn.bytecode != nil || v.room.short() {
		return fn.bytecode
	}
	if v.rests() {
		return nil
	}
	b, err := v.r.Bytecode(at)
	if err == nil && v.mayHaveMoved() {
		err = heap.ErrNotFound // it may be another function's that is there now
	}
	if err != nil && (at == 0 || fn.bytecode == nil) {
		at, b, err = v.currentBytecode(fn, sfi)
	}
	if err != nil { // it has moved
		return fn.bytecode
	}
	if fn.bytecode == nil || !fn.bytecode.Equal(b) {
		fn.bytecode = b
		v.room.take(b.Size())
	}
	fn.bytecodeAt = at
	return fn.bytecode
}

// currentBytecode reads the bytecode that a function has now, if it is still where it was.
func (v *Resolver) currentBytecode(fn *function, sfi heap.Word) (at heap.Word, b *heap.Bytecode, err error) {
	read := func() bool {
		var f *heap.Function
		if f, err = v.r.Function(sfi); err != nil || f.Identity != fn.id {
			return false
		}
		if at, err = v.r.BytecodeOf(sfi); err == nil {
			b, err = v.r.Bytecode(at)
		}
		return err == nil
	}
	if !v.asSampled(read, func() {}) {
		return 0, nil, cmp.Or(err, heap.ErrNotFound)
	}
	return at, b, nil
}

// locate sets line and column.
func (v *Resolver) locate(f *Frame, fn *function, source int) {
	if fn.script == nil || source < 0 {
		return
	}
	var err error
	if f.Line, f.Column, err = v.position(fn.script, source); err != nil {
		f.Lost = LostSource
		if !fn.script.HasLines() && !v.naming.Rests() {
			fn.sfi, fn.before = nowhere, nowhere // its script may have moved
		}
	}
}

var (
	errNoRoom = errors.New("no room is left for its lines")
	errDied   = errors.New("the script may have died")
)

// position gives the line and column of an offset in a script's source.
func (v *Resolver) position(s *script, source int) (line, column int, err error) {
	if !s.HasLines() {
		if err := v.readLines(s); err != nil {
			return 0, 0, err
		}
	}
	return v.r.Position(s.Script, source)
}

// readLines reads where the lines of a script end. The text of one that has died may be another's by now, though the
// script is as it was.
func (v *Resolver) readLines(s *script) (err error) {
	if v.room.short() || v.rests() {
		return errNoRoom
	}
	read := func() bool {
		_, err = v.r.Source(s.Script)
		return err == nil
	}
	if !v.living(read, func() bool { return v.scriptLives(s.at) }, s.ForgetLines) {
		s.ForgetLines()
		return cmp.Or(err, errDied)
	}
	v.room.take(s.Size())
	return nil
}

// scriptLives reports whether the current isolate lists a script among those that live. Where the list is not found, it
// is sought again in the next round only: that takes thousands of reads.
func (v *Resolver) scriptLives(script heap.Word) bool {
	if next := v.code.round + 1; v.scriptList == 0 && v.sought != next {
		v.sought = next
		v.scriptList, _ = v.r.FindScripts(v.key.address)
	}
	return v.scriptList != 0 && v.r.ListsScript(v.scriptList, script)
}
