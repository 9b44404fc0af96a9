package functions

import (
	"github.com/hotspan/hotspan/v8/functions/builtins"
	"github.com/hotspan/hotspan/v8/layout"
	"github.com/hotspan/hotspan/v8/stack"
)

// Resolve gives the logical frames of one frame in V8's code, innermost first. None means that the frame is part of the
// next one: a bytecode handler is the interpreter's own code. It returns no error: what cannot be read is missing in a
// Frame, whose Lost says why.
func (v *Resolver) Resolve(raw stack.RawFrame) []*Frame {
	frames := v.resolve(raw)
	for _, f := range frames {
		if f.Lost != NothingLost {
			v.basis.passing = true
		}
	}
	return frames
}

func (v *Resolver) resolve(raw stack.RawFrame) []*Frame {
	name, _, ok := builtins.Of(raw, v.space)
	switch {
	case !ok:
		return v.machine(raw)
	case raw.Marker < 0 && raw.ID.Script >= 0 && v.interprets(name, raw):
		return v.interpreted(raw)
	case raw.Marker < 0 && raw.ID.Script >= 0 && builtins.IsBaseline(name):
		return v.baselineCall(nil, raw, 0)
	case v.unidentified(name, raw):
		return stale(Ignition)
	case builtins.IsHandler(name):
		return nil
	}
	f := v.builtin[name]
	if f == nil {
		f = &Frame{Name: name, Kind: Builtin}
		v.builtin[name] = f
	}
	return []*Frame{f}
}

// unidentified reports whether a frame is the interpreter's and its function could not be read. Where the interpreter
// enters or leaves a function, the frame at its pc may be another's.
func (v *Resolver) unidentified(name string, raw stack.RawFrame) bool {
	return raw.Marker < 0 && raw.ID.Script < 0 && builtins.IsInterpreter(name) &&
		(!raw.Exact || builtins.IsHandler(name) && raw.SFI == 0)
}

// interprets reports whether a function's frame in a builtin is the interpreter's. Where builtins have no names, it is
// if the frame holds bytecode.
func (v *Resolver) interprets(name string, raw stack.RawFrame) bool {
	if name != UnnamedBuiltin {
		return builtins.IsInterpreter(name)
	}
	_, known := v.points[point{fn: v.functions[raw.ID], at: raw.Offset, tier: Ignition}]
	return known || raw.Offset > 0 && v.r.IsBytecode(raw.Bytecode)
}

// interpreted resolves a frame of the interpreter.
func (v *Resolver) interpreted(raw stack.RawFrame) []*Frame {
	fn := v.function(raw.ID, raw.SFI)
	if fn == nil {
		return stale(Ignition)
	}
	b := v.bytecode(fn, raw.Bytecode, raw.SFI)
	key := point{fn: fn, bytecode: b, at: raw.Offset, tier: Ignition, exact: raw.Exact && raw.Offset < 0}
	if fs := v.points[key]; fs != nil {
		return fs
	}
	f := fn.frame(Ignition)
	if b == nil {
		f.Lost = LostBytecode
		return []*Frame{f}
	}
	at, ok := b.Offset(raw.Offset)
	if !ok && !key.exact { // a frame without one is not set up yet; or it is baseline code's soon
		f.Lost = LostOffset
		return []*Frame{f}
	}
	v.locate(f, fn, b.Positions.SourceAt(at))
	return v.keep(key, f)
}

// machine resolves a frame whose pc is in code made at run time.
func (v *Resolver) machine(raw stack.RawFrame) []*Frame {
	if fs := v.WebAssembly(raw); fs != nil {
		v.basis.passing = true
		return fs
	}
	c := v.codeIn(raw)
	switch {
	case c == nil && raw.Marker < 0 && raw.ID.Script >= 0:
		if v.isExported(raw) {
			return jsToWasmFrames
		}
		return v.nameOnly(raw, NoTier)
	case c == nil:
		return unreadCode
	case c.Kind == v.r.Layout().At(layout.KindRegexp):
		return v.regexp(c, raw)
	case c.Kind == v.r.Layout().At(layout.KindJSToWasm):
		return jsToWasmFrames
	case v.isEntry(c) && raw.Marker < 0 && raw.ID.Script >= 0:
		return v.interpreted(raw)
	case c.tier == NoTier:
		return jitFrames
	}
	key := point{code: c, at: int(raw.PC - c.Start), tier: c.tier, exact: raw.Exact}
	if raw.ID.Script >= 0 {
		if key.fn = v.function(raw.ID, raw.SFI); key.fn == nil {
			return stale(c.tier)
		}
	}
	fs := v.points[key]
	if fs == nil {
		if fs = v.calls(c, raw); fs == nil {
			return v.nameOnly(raw, c.tier)
		}
		v.keep(key, fs...)
	}
	v.sampledIn(c, raw)
	return fs
}

func (v *Resolver) calls(c *code, raw stack.RawFrame) []*Frame {
	at := int(raw.PC - c.Start)
	if raw.Exact {
		at++ // the tables are asked for the instruction that is left of a return address
	}
	if v.rests() {
		return nil
	}
	v.outlives(c, raw)
	if c.tier == Sparkplug {
		if !v.isBaselineOf(c, raw) || c.baseline == nil {
			return nil
		}
		return v.baselineCall(c, raw, at)
	}
	switch {
	case c.optimized == nil:
		return nil
	case c.optimized.Function == 0:
		return v.ownCall(c, raw, at)
	case raw.ID.Script >= 0 && !v.isOf(c, raw):
		return nil
	}
	if fs, says := v.deoptFrames(c, raw); says {
		return fs
	}
	if c.optimized.InDeoptExits(at) {
		return v.framesByDeopt(c.optimized.FramesAtExit, c, raw)
	}
	offset, ok := v.positionOffset(c, at-1, int(raw.PC-c.Start))
	if !ok && len(c.functions) > 1 {
		return v.framesByDeopt(c.optimized.FramesAtCall, c, raw)
	}
	calls := c.optimized.Calls(offset)
	var fs []*Frame
	for i, call := range calls {
		fn := c.functions[call.Function]
		if fn == nil {
			return nil
		}
		f := fn.frame(c.tier)
		v.locate(f, fn, call.Source)
		f.Inlined = i < len(calls)-1
		fs = append(fs, f)
	}
	return fs
}

// ownCall locates a frame in optimised code that does not say which function's it is: it is that of the frame, if the
// code was there then and has made the frame. Nil where another function may be inlined.
func (v *Resolver) ownCall(c *code, raw stack.RawFrame, at int) []*Frame {
	next := int(raw.PC - c.Start)
	if raw.ID.Script < 0 || v.mayPrecede(c) || raw.Exact && !c.hasFrame(next) || len(c.optimized.Positions) == 0 {
		return nil
	}
	offset, ok := v.positionOffset(c, at-1, next)
	calls, fn := c.optimized.Calls(offset), v.function(raw.ID, raw.SFI)
	if !ok || len(calls) != 1 || fn == nil {
		return nil
	}
	f := fn.frame(c.tier)
	v.locate(f, fn, calls[0].Source)
	return []*Frame{f}
}

// baselineCall locates a frame of baseline code. While a builtin makes or removes the frame, c is nil: the function is
// known, where it is is not.
func (v *Resolver) baselineCall(c *code, raw stack.RawFrame, at int) []*Frame {
	fn := v.function(raw.ID, raw.SFI)
	if fn == nil {
		return stale(Sparkplug)
	}
	f := fn.frame(Sparkplug)
	if c == nil {
		f.Lost = LostOffset
		return []*Frame{f}
	}
	offset, err := v.r.Offset(c.baseline, at)
	if err != nil {
		f.Lost = LostOffset
		return []*Frame{f}
	}
	v.locate(f, fn, c.baseline.Bytecode.Positions.SourceAt(offset))
	return []*Frame{f}
}

// nameOnly is a frame whose code is gone: its function is known, the point of execution is not. What was inlined there
// is not known either, and a frame says so.
func (v *Resolver) nameOnly(raw stack.RawFrame, t Tier) []*Frame {
	fn := v.function(raw.ID, raw.SFI)
	if fn == nil {
		return stale(t)
	}
	f := fn.frame(t)
	f.Lost = LostCode
	return []*Frame{goneFrame, f}
}

var (
	jitFrames  = []*Frame{{Name: "[jit]", Kind: JIT}}
	unreadCode = []*Frame{{Name: "[jit]", Kind: JIT, Lost: LostCode}}
)
