package stack

import (
	"net/url"
	"strings"

	"github.com/hotspan/hotspan/v8/heap"
	"github.com/hotspan/hotspan/v8/layout"
)

// Limits of what is kept of one process. Over one of them its cache starts anew.
const (
	maxFunctions = 1 << 16
	maxPoints    = 1 << 17
	maxScripts   = 1 << 14
)

// UnnamedBuiltin is what an AddressSpace calls a builtin whose name the binary does not tell.
const UnnamedBuiltin = "[builtin]"

// AddressSpace tells what lies where in the memory of a process.
type AddressSpace interface {
	// Builtin finds a builtin of V8 by the address that runs: name, first address, end.
	Builtin(pc uint64) (name string, start, end uint64, ok bool)
	// Generated reports whether an address is in memory for code that is made at run time.
	Generated(pc uint64) bool
	// Address gives the address in the process of an ELF virtual address of the file that V8 is in.
	Address(elf uint64) (addr uint64, ok bool)
}

// Resolver resolves the frames of one process. It is not safe for concurrent use.
type Resolver struct {
	// Maps is told of each script that names a source map. nil: nobody asks. The number that it gives back is the Map of
	// the script's frames.
	Maps func(MappedScript) int32

	r         *heap.Reader
	space     AddressSpace
	functions map[heap.Identity]*function
	scripts   map[int32]*script
	points    map[point][]*Frame
	code      codes
	wasm      wasm
	builtin   map[uint64]*Frame // by first address
	owners    map[heap.Word]owner
	misses    map[uint64]uint64 // epoch of the sample that found no code at a pc
}

// owner is the function that a BytecodeArray was seen to be of.
type owner struct {
	id  heap.Identity
	sfi heap.Word
}

// function is what is known of a function that was seen.
type function struct {
	name                 string
	nameLine, nameColumn int     // of the identifier that name is, where the script names a source map
	script               *script // nil for a builtin
	bytecode             *heap.Bytecode
}

// script is a script that was seen.
type script struct {
	*heap.Script
	sourceMap int32 // as Resolver.Maps numbers it; 0 = none
}

// point is a point of execution in bytecode or, where code is set, in machine code.
type point struct {
	id    heap.Identity
	code  *code
	at    int
	tier  Tier
	exact bool
}

// NewResolver resolves frames of the process that r reads.
func NewResolver(r *heap.Reader, space AddressSpace) *Resolver {
	return &Resolver{
		r: r, space: space,
		functions: map[heap.Identity]*function{},
		scripts:   map[int32]*script{},
		points:    map[point][]*Frame{},
		builtin:   map[uint64]*Frame{},
		owners:    map[heap.Word]owner{},
		misses:    map[uint64]uint64{},
		wasm:      wasm{modules: map[uint64]*wasmModule{}, codes: map[uint64]*wasmCode{}},
	}
}

// Begin starts a sample: code that was checked for the last one may have changed since.
func (v *Resolver) Begin() { v.code.epoch++ }

// Resolve gives the logical frames of one frame, innermost first. None means that it is part of the next one: a
// bytecode handler is the interpreter's own code.
func (v *Resolver) Resolve(raw RawFrame) []*Frame {
	name, start, ok := v.builtinAt(raw)
	switch {
	case !ok:
		return v.machine(raw)
	case raw.Marker < 0 && raw.ID.Script >= 0 && v.interprets(name, raw):
		return v.interpreted(raw)
	case isHandler(name):
		return nil
	}
	f := v.builtin[start]
	if f == nil {
		f = &Frame{Name: name, Kind: Builtin}
		v.builtin[start] = f
	}
	return []*Frame{f}
}

// builtinAt finds the builtin that a frame is in. A return address may be behind the last instruction of its builtin;
// but one at the very start of another is no return address: the deoptimiser goes on there.
func (v *Resolver) builtinAt(raw RawFrame) (name string, start uint64, ok bool) {
	name, start, _, ok = v.space.Builtin(raw.PC)
	if raw.Exact || ok && start == raw.PC && isInterpreter(name) {
		return name, start, ok
	}
	name, start, _, ok = v.space.Builtin(raw.PC - 1)
	return name, start, ok
}

// interprets reports whether a function's frame in a builtin is the interpreter's. Where builtins have no names, it is
// if the frame holds bytecode.
func (v *Resolver) interprets(name string, raw RawFrame) bool {
	if name != UnnamedBuiltin {
		return isInterpreter(name)
	}
	_, known := v.points[point{id: raw.ID, at: raw.Offset, tier: Ignition}]
	return known || raw.Offset > 0 && v.r.IsBytecode(raw.Bytecode)
}

func isHandler(name string) bool { return strings.HasSuffix(name, "Handler") }

func isInterpreter(name string) bool {
	return isHandler(name) || strings.HasPrefix(name, "InterpreterEntryTrampoline") ||
		strings.HasPrefix(name, "InterpreterEnterAt") || entersBaseline(name)
}

// entersBaseline reports whether a builtin goes from an interpreted frame to its baseline code: until V8 11, where the
// deoptimiser has made that frame.
func entersBaseline(name string) bool { return strings.HasPrefix(name, "BaselineOrInterpreterEnterAt") }

// function finds what is known of a function, or reads it, if the SharedFunctionInfo still is that function.
func (v *Resolver) function(id heap.Identity, sfi heap.Word) *function {
	if f := v.functions[id]; f != nil {
		return f
	}
	f, err := v.r.Function(sfi)
	if err != nil || f.Identity != id {
		return nil
	}
	known := &function{name: f.Name}
	if known.name == "" {
		known.name = "(anonymous)"
	}
	if f.Script != 0 {
		if known.script = v.script(id.Script, f.Script); known.script == nil {
			return nil
		}
		if known.script.sourceMap != 0 {
			known.nameLine, known.nameColumn = v.naming(known.script, f)
		}
		if len(v.functions) >= maxFunctions {
			clear(v.functions)
		}
		v.functions[id] = known
	}
	return known
}

func (v *Resolver) script(id int32, w heap.Word) *script {
	if s := v.scripts[id]; s != nil {
		return s
	}
	read, err := v.r.Script(w)
	if err != nil || int32(read.ID) != id {
		return nil
	}
	read.Name = path(read.Name)
	s := &script{read, v.sourceMap(read, w)}
	if read.EvalFrom != 0 {
		v.scripts[id] = s // code that evaluates itself ends here
		read.Name = v.origin(read)
	}
	if len(v.scripts) >= maxScripts {
		clear(v.scripts)
		clear(v.functions)
	}
	v.scripts[id] = s
	return s
}

// path turns a file URL, which is the name of an ES module, into a path.
func path(name string) string {
	if strings.HasPrefix(name, "file://") {
		if u, err := url.Parse(name); err == nil && u.Path != "" {
			return u.Path
		}
	}
	return name
}

// interpreted resolves a frame of the interpreter.
func (v *Resolver) interpreted(raw RawFrame) []*Frame {
	key := point{id: raw.ID, at: raw.Offset, tier: Ignition, exact: raw.Exact && raw.Offset < 0}
	if fs := v.points[key]; fs != nil {
		return fs
	}
	fn := v.function(raw.ID, raw.SFI)
	if fn == nil {
		return stale(Ignition)
	}
	f := fn.frame(Ignition)
	if !v.readBytecode(fn, raw) {
		f.Lost = LostBytecode
		return []*Frame{f}
	}
	at, ok := fn.bytecode.Offset(raw.Offset)
	if !ok && !key.exact { // a frame without one is not set up yet; or it is baseline code's soon
		f.Lost = LostOffset
		return []*Frame{f}
	}
	v.locate(f, fn, sourceAt(fn.bytecode.Positions, at))
	return v.keep(key, f)
}

// readBytecode finds the function's bytecode: in the frame, or where the frame is not set up, by the function.
func (v *Resolver) readBytecode(fn *function, raw RawFrame) bool {
	if fn.bytecode != nil {
		return true
	}
	var err error
	if fn.bytecode, err = v.r.Bytecode(raw.Bytecode); err == nil {
		return true
	}
	w, err := v.r.BytecodeOf(raw.SFI)
	if err == nil {
		fn.bytecode, err = v.r.Bytecode(w)
	}
	return err == nil
}

// sourceAt is the source position at a code offset. What comes before the first entry is the function's entry.
func sourceAt(p heap.Positions, at int) int {
	if e, ok := p.At(at); ok {
		return int(e.Source)
	}
	if len(p) > 0 {
		return int(p[0].Source)
	}
	return -1
}

// locate sets line and column.
func (v *Resolver) locate(f *Frame, fn *function, source int) {
	if fn.script == nil || source < 0 {
		return
	}
	var err error
	if f.Line, f.Column, err = v.r.Position(fn.script.Script, source); err != nil {
		f.Lost = LostSource
	}
}

func (v *Resolver) keep(key point, fs ...*Frame) []*Frame {
	if len(v.points) >= maxPoints {
		clear(v.points)
	}
	v.points[key] = fs
	return fs
}

func (fn *function) frame(t Tier) *Frame {
	f := &Frame{Name: fn.name, Kind: JS, Tier: t}
	if fn.script == nil {
		f.Kind, f.Tier = Builtin, NoTier
	} else {
		f.File, f.Map = fn.script.Name, fn.script.sourceMap
		f.NameLine, f.NameColumn = fn.nameLine, fn.nameColumn
	}
	return f
}

var staleFrames [TurboFan + 1][]*Frame

func init() {
	for t := range staleFrames {
		staleFrames[t] = []*Frame{{Name: "[stale function]", Kind: JS, Tier: Tier(t), Lost: LostFunction}}
	}
}

// stale is the frame of a function that was collected or moved before it could be read.
func stale(t Tier) []*Frame { return staleFrames[t] }

// tier gives the tier of a Code object's kind.
func (v *Resolver) tier(kind int) Tier {
	l := v.r.Layout()
	switch kind {
	case l.At(layout.KindBaseline):
		return Sparkplug
	case l.At(layout.KindMaglev):
		return Maglev
	case l.At(layout.KindTurboFan):
		return TurboFan
	}
	return NoTier
}
