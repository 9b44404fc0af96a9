package heap

import (
	"cmp"
	"fmt"

	"github.com/hotspan/hotspan/v8/layout"
)

const (
	maxName   = 1024
	maxLocals = 1 << 16
)

// Identity names a function by numbers that the collector cannot change.
type Identity struct {
	Script  int32 // script id; -1 for a function that has none
	Literal int32 // function literal id in the script
}

// Function is a SharedFunctionInfo: one function literal of a script, whatever closures were made of it.
type Function struct {
	Identity
	Name   string // as V8 infers it; empty for an anonymous function
	Script Word   // the Script object; 0 where there is none
	Start  int    // where its parameters begin in the script's source, in UTF-16 units; -1 = not known
	End    int    // where it ends there; -1 = not known
}

// Function reads a SharedFunctionInfo. (src/objects/shared-function-info.h)
func (r *Reader) Function(w Word) (*Function, error) {
	if err := r.want(w, layout.TypeSharedFunctionInfo); err != nil {
		return nil, err
	}
	f := &Function{Identity: Identity{-1, 0}, Start: -1, End: -1}
	literal, err := r.u32(w, layout.SFIFunctionLiteralID)
	if err != nil {
		return nil, err
	}
	f.Literal = int32(literal)
	script, err := r.field(w, layout.SFIScript)
	if err != nil {
		return nil, err
	}
	if r.l.Has(layout.DebugInfoScript) && r.want(script, layout.TypeDebugInfo) == nil {
		if script, err = r.field(script, layout.DebugInfoScript); err != nil {
			return nil, err
		}
	}
	if r.want(script, layout.TypeScript) == nil {
		id, err := r.field(script, layout.ScriptID)
		if err != nil || !id.IsSmi() {
			return nil, fmt.Errorf("function 0x%x: script id 0x%x", uint64(w), uint64(id))
		}
		f.Script, f.Identity.Script = script, int32(id.Smi())
	}
	err = r.functionName(w, f)
	if name := r.initializer(w); name != "" {
		f.Name = name
	}
	return f, err
}

// IsListed reports whether a SharedFunctionInfo is in the list of its script. V8 takes those out of it that die. One
// without a script is in none, and does not die. (src/objects/script.h, Script::infos)
func (r *Reader) IsListed(f *Function, w Word) bool {
	if f.Script == 0 {
		return true
	}
	infos, err := r.field(f.Script, layout.ScriptInfos)
	if err != nil || f.Literal < 0 {
		return false
	}
	n, err := r.field(infos, layout.FixedArrayLength)
	if err != nil || !n.IsSmi() || int64(f.Literal) >= int64(n.Smi()) {
		return false
	}
	listed, err := r.WordAt(infos.address() + uint64(r.l.At(layout.FixedArrayData)+8*int(f.Literal)))
	return err == nil && listed.Strong() == w
}

// initializer names a function that V8 makes of the fields of a class, as V8 itself does in Error.stack; "" for others.
// Since V8 12 their SharedFunctionInfos have no name but the class's, which is the constructor's.
func (r *Reader) initializer(w Word) string {
	flags, err := r.u32(w, layout.SFIFlags)
	members, static := r.l.At(layout.KindMembersInitializer), r.l.At(layout.KindStaticInitializer)
	kind := int(flags & 0x1f)
	switch {
	case err != nil || members < 0 || static < 0 || kind < members || kind >= 2*static-members:
		return ""
	case kind < static:
		return "<instance_members_initializer>"
	}
	return "<static_initializer>"
}

// functionName follows the slot that holds a name, none (a Smi), or a ScopeInfo that may have one.
func (r *Reader) functionName(w Word, f *Function) error {
	v, err := r.field(w, layout.SFINameOrScopeInfo)
	if err != nil || v.IsSmi() {
		return err
	}
	typ, err := r.Type(v)
	if err != nil {
		return err
	}
	switch {
	case typ == r.l.At(layout.TypeScopeInfo):
		err = r.scopeName(v, f)
	case typ >= r.l.At(layout.FirstNonStringType):
		return &TypeError{v, typ, "string or ScopeInfo"}
	default:
		f.Name, err = r.Name(v)
	}
	if err == nil {
		err = r.holds(w.address()+uint64(r.l.At(layout.SFINameOrScopeInfo)), v)
	}
	return err
}

// scopeName reads the function's own name in a ScopeInfo, else the inferred one, and where it starts and ends.
func (r *Reader) scopeName(w Word, f *Function) error {
	at, err := r.scopeNames(w)
	if err != nil {
		return err
	}
	if start, err := r.WordAt(w.address() + uint64(at.start)); err == nil && start.IsSmi() {
		f.Start = start.Smi()
	}
	if end, err := r.WordAt(w.address() + uint64(at.start) + 8); err == nil && end.IsSmi() {
		f.End = end.Smi()
	}
	var names []int
	for _, offset := range []int{at.own, at.inferred} {
		if offset >= 0 {
			names = append(names, offset)
		}
	}
	f.Name, err = r.firstName(w, names)
	return err
}

// scopeParts are offsets in a ScopeInfo; -1: it has none.
type scopeParts struct {
	own, inferred, start int
	ownInContext         bool // the function itself is a variable of its context
}

// scopeNames finds the names in a ScopeInfo. Its variable parts stand in a fixed order; flags say which are there.
// (src/objects/scope-info.tq)
func (r *Reader) scopeNames(w Word) (out scopeParts, err error) {
	err = cmp.Or(r.l.Within(0, 31, layout.ScopeInfoHasSavedClassVarBit, layout.ScopeInfoInferredNameBit),
		r.l.Within(0, 30, layout.ScopeInfoFunctionVarBit))
	if err != nil {
		return out, err
	}
	flags, err := r.scopeFlags(w)
	if err != nil {
		return out, err
	}
	locals, err := r.field(w, layout.ScopeInfoContextLocalCount)
	if err != nil || !locals.IsSmi() || locals.Smi() < 0 || locals.Smi() > maxLocals {
		return out, fmt.Errorf("scope info 0x%x: %d locals", uint64(w), locals.Smi())
	}
	n := locals.Smi()
	at := r.firstVariable(w, n) + 8*n // infos
	if !r.l.Has(layout.ScopeInfoMaxInlinedNames) || n < r.l.At(layout.ScopeInfoMaxInlinedNames) {
		at += 8 * n
	} else {
		at += 8 // names are in one hash table
	}
	bit := func(f layout.Field, width int) bool { return flags>>r.l.At(f)&(1<<width-1) != 0 }
	if bit(layout.ScopeInfoHasSavedClassVarBit, 1) {
		at += 8
	}
	if r.l.Has(layout.ScopeInfoReceiverBit) && hasSlot(flags>>r.l.At(layout.ScopeInfoReceiverBit)) {
		at += 8
	}
	out.own, out.inferred = -1, -1
	if bit(layout.ScopeInfoFunctionVarBit, 2) {
		out.own, out.ownInContext = at, flags>>r.l.At(layout.ScopeInfoFunctionVarBit)&3 == inContext
		at += 16
	}
	if bit(layout.ScopeInfoInferredNameBit, 1) {
		out.inferred = at
		at += 8
	}
	if r.l.Has(layout.ScopeInfoStartPosition) {
		at = r.l.At(layout.ScopeInfoStartPosition)
	}
	out.start = at
	return out, nil
}

// firstVariable is where the names of n variables begin in a ScopeInfo. In front of those of a module, V8 from 12 on
// has the number of what it imports and exports. (src/objects/scope-info.tq, module_variable_count)
func (r *Reader) firstVariable(w Word, n int) int {
	at := r.l.At(layout.ScopeInfoFirstVars)
	if first, err := r.WordAt(w.address() + uint64(at)); n > 0 && err == nil && first.IsSmi() { // it is no name
		return at + 8
	}
	return at
}

// hasSlot reports whether a variable is on the stack or in the context: 0 is none, 3 unused.
// (src/objects/scope-info.tq, VariableAllocationInfo)
func hasSlot(allocation uint32) bool { return allocation&3 == 1 || allocation&3 == inContext }

const inContext = 2

func (r *Reader) scopeFlags(w Word) (uint32, error) {
	if r.l.At(layout.ScopeInfoFlagsAreSmi) == 0 {
		return r.u32(w, layout.ScopeInfoFlags)
	}
	v, err := r.field(w, layout.ScopeInfoFlags)
	return uint32(v.Smi()), err
}

// OwnName is the name that a function has by its source, which is what JavaScript sees unless the function has a
// property of its own; empty for an anonymous function, whatever name V8 infers for it.
func (r *Reader) OwnName(sfi Word) (string, error) {
	v, err := r.field(sfi, layout.SFINameOrScopeInfo)
	if err != nil || v.IsSmi() {
		return "", err
	}
	if r.want(v, layout.TypeScopeInfo) != nil {
		return r.Name(v)
	}
	at, err := r.scopeNames(v)
	if err != nil || at.own < 0 {
		return "", err
	}
	return r.firstName(v, []int{at.own})
}

// FunctionKind is what a SharedFunctionInfo says of the kind of its function. (src/objects/function-kind.h)
func (r *Reader) FunctionKind(sfi Word) (int, error) {
	flags, err := r.u32(sfi, layout.SFIFlags)
	return int(flags & 0x1f), err
}

// firstName reads the first slot that has a name; the others hold undefined, a Smi or the empty string.
func (r *Reader) firstName(w Word, at []int) (string, error) {
	for _, offset := range at {
		slot := w.address() + uint64(offset)
		v, err := r.WordAt(slot)
		if err != nil {
			return "", err
		}
		if !v.IsObject() || r.want(v, layout.TypeOddball) == nil {
			continue
		}
		s, err := r.Name(v)
		if err == nil {
			err = r.holds(slot, v)
		}
		if err != nil || s != "" {
			return s, err
		}
	}
	return "", nil
}

// Name reads the name of a function, or another text as short.
func (r *Reader) Name(w Word) (string, error) { return r.cut(w, maxName) }

// cut reads a string. One of more than limit UTF-16 units is cut there, and says so.
func (r *Reader) cut(w Word, limit int) (string, error) {
	t, err := r.pieces(piece{w: w, length: limit + 1}, maxNamePieces)
	if err != nil {
		return "", err
	}
	if t.Len() <= limit {
		return t.String(), nil
	}
	t.One, t.Two = t.One[:min(len(t.One), limit)], t.Two[:min(len(t.Two), limit)]
	return t.String() + "…", nil
}

// Shared is the SharedFunctionInfo of a JSFunction.
func (r *Reader) Shared(function Word) (Word, error) {
	return r.field(function, layout.JSFunctionShared)
}

// BytecodeOf is the BytecodeArray of a SharedFunctionInfo: its own, or what its baseline code was made of.
func (r *Reader) BytecodeOf(sfi Word) (Word, error) {
	data, err := r.field(sfi, layout.SFITrustedData)
	if err != nil {
		return 0, err
	}
	typ, err := r.Type(data)
	switch {
	case err != nil:
		return 0, err
	case typ == r.l.At(layout.TypeCode):
		data, err = r.field(data, layout.CodeDeoptData)
	case typ == r.l.At(layout.TypeBaselineData):
		data, err = r.field(data, layout.BaselineDataBytecode)
	}
	if err != nil {
		return 0, err
	}
	return r.withoutEntry(data)
}

// withoutEntry is the BytecodeArray of an InterpreterData, which also has a copy of the interpreter's entry; other
// words are themselves.
func (r *Reader) withoutEntry(w Word) (Word, error) {
	if r.want(w, layout.TypeInterpreterData) == nil {
		return r.field(w, layout.InterpreterDataBytecode)
	}
	return w, nil
}
