package functions

import (
	"cmp"
	"fmt"
	"net/url"
	"strings"

	"github.com/hotspan/hotspan/v8/heap"
)

// function finds what is known of a function, or reads it, if the SharedFunctionInfo still is that function. One that
// is known is compared where it has another address: the collector has moved it, or the isolate is another one, whose
// numbers are the same. Nil: it cannot be read.
func (v *Resolver) function(id heap.Identity, sfi heap.Word) *function {
	known := v.functions[id]
	if f := known.at(sfi); f != nil {
		return f
	}
	if v.rests() {
		return nil
	}
	var f *heap.Function
	var s *script
	read := func() bool {
		var err error
		if f, err = v.r.Function(sfi); err != nil || f.Identity != id {
			return false
		}
		s = v.script(f)
		return f.Script == 0 || s != nil
	}
	lives := func() bool { return v.r.IsListed(f, sfi) && (f.Script == 0 || v.scriptLives(f.Script)) }
	if !v.living(read, lives, func() { delete(v.scripts, id.Script) }) {
		return nil
	}
	if known == nil || known.script != s || known.own != f.Name || known.start != f.Start {
		if known = v.newFunction(f, s); known == nil {
			return nil
		}
	}
	known.before, known.sfi = known.sfi, sfi
	return known
}

// newFunction is nil where naming has begun to rest before it was read whole.
func (v *Resolver) newFunction(f *heap.Function, s *script) *function {
	fn := &function{id: f.Identity, name: v.nameOf(f, s), own: f.Name, start: f.Start, script: s}
	v.room.take(functionSize + len(fn.name))
	if s == nil {
		return fn
	}
	if s.sourceMap != 0 {
		if fn.nameLine, fn.nameColumn = v.identifier(s, f, fn.name); fn.nameLine == 0 && v.rests() {
			return nil
		}
	}
	if len(v.functions) >= maxFunctions {
		clear(v.functions)
		v.forgot = true
	}
	if fn.earlier = v.functions[f.Identity]; fn.earlier != nil {
		fn.earlier.earlier = nil
	}
	v.functions[f.Identity] = fn
	return fn
}

func (v *Resolver) nameOf(f *heap.Function, s *script) string {
	if isExport(f.Name, s) {
		return "wasm-function[" + f.Name + "]"
	}
	return cmp.Or(v.keptName(f, s), f.Name, "(anonymous)")
}

// isExport reports whether a function is what JavaScript calls for one of WebAssembly: its name is the number of that,
// its script the module, which has no source. (src/wasm/wasm-objects.cc, WasmExportedFunction::New)
func isExport(name string, s *script) bool {
	return s != nil && s.Length == 0 && strings.HasPrefix(s.Name, wasmScheme) && name != "" &&
		strings.Trim(name, "0123456789") == ""
}

const wasmScheme = "wasm://"

// script finds what is known of a function's script, or reads it. Nil: it has none, or it cannot be read.
func (v *Resolver) script(f *heap.Function) *script {
	id, w := f.Identity.Script, f.Script
	if w == 0 {
		return nil
	}
	known := v.scripts[id]
	if known != nil && known.at == w {
		return known
	}
	read, err := v.r.Script(w)
	if err != nil || int32(read.ID) != id {
		return nil
	}
	read.Name = path(read.Name)
	sourceMap, err := v.sourceMap(read, w)
	if err != nil {
		return nil
	}
	s := &script{Script: read, at: w, name: read.Name, sourceMap: sourceMap}
	if known != nil && v.moved(known, s) {
		return known
	}
	if read.EvalFrom != 0 {
		v.scripts[id] = s // code that evaluates itself ends here
		read.Name = v.origin(read)
		if v.r.EvalFromHolds(read) != nil || v.rests() {
			delete(v.scripts, id)
			return nil
		}
	}
	if len(v.scripts) >= maxScripts {
		clear(v.scripts)
		clear(v.functions)
		v.forgot = true
	}
	v.scripts[id] = s
	v.room.take(functionSize + len(s.name))
	return s
}

// moved notes that a script is at another address now, if it is the same one, or one of another isolate of which the
// same is known.
func (v *Resolver) moved(s, now *script) bool {
	same := s.name == now.name && s.Length == now.Length && s.EvalAt == now.EvalAt &&
		s.LineOffset == now.LineOffset && s.ColumnOffset == now.ColumnOffset &&
		v.r.SameLines(s.Script, now.Script) && s.sourceMap == now.sourceMap
	if same {
		now.Name = s.Name
		s.Script, s.at = now.Script, now.at
	}
	return same
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

// evalAt begins the file of code that was evaluated and has no name of its own.
const evalAt = "eval at "

// maxEvals bounds how often code is followed that was evaluated by evaluated code, and so on.
const maxEvals = 32

// origin names a script by where it was evaluated: "eval at /app/file.js:12". Where that is evaluated code itself, what
// evaluated that is named.
func (v *Resolver) origin(s *heap.Script) string {
	if v.evals == maxEvals {
		return s.Name
	}
	v.evals++
	fn := v.functionOf(s.EvalFrom)
	v.evals--
	if fn == nil || fn.script == nil || fn.script.Script == s {
		return s.Name
	}
	if fn.script.EvalFrom != 0 {
		return fn.script.Name
	}
	name := evalAt + strings.TrimPrefix(fn.script.Name, evalAt)
	at := s.EvalAt
	if at < 0 {
		b := v.bytecode(fn, 0, s.EvalFrom)
		if b == nil {
			return name
		}
		at = b.Positions.SourceAt(-at)
	}
	line, _, err := v.position(fn.script, at)
	if at < 0 || err != nil {
		return name
	}
	return fmt.Sprintf("%s:%d", name, line)
}

// functionOf reads the function of a SharedFunctionInfo that code or a script refers to. Nil: it cannot be read.
func (v *Resolver) functionOf(sfi heap.Word) *function {
	f, err := v.r.Function(sfi)
	if err != nil {
		return nil
	}
	return v.function(f.Identity, sfi)
}
