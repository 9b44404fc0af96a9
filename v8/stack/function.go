package stack

import (
	"fmt"
	"net/url"
	"strings"

	"github.com/hotspan/hotspan/v8/heap"
)

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

// evalAt begins the file of code that was evaluated and has no name of its own.
const evalAt = "eval at "

// origin names a script by where it was evaluated: "eval at /app/file.js:12". Where that is evaluated code itself, what
// evaluated that is named.
func (v *Resolver) origin(s *heap.Script) string {
	fn := v.functionOf(s.EvalFrom)
	if fn == nil || fn.script == nil || fn.script.Script == s {
		return s.Name
	}
	if fn.script.EvalFrom != 0 {
		return fn.script.Name
	}
	name := evalAt + strings.TrimPrefix(fn.script.Name, evalAt)
	at := s.EvalAt
	if at < 0 {
		if !v.readBytecode(fn, RawFrame{SFI: s.EvalFrom}) {
			return name
		}
		at = sourceAt(fn.bytecode.Positions, -at)
	}
	line, _, err := v.r.Position(fn.script.Script, at)
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
