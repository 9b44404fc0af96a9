package viewers

import (
	"path"

	"github.com/hotspan/hotspan/pprofx"
)

// firefoxTables are what the samples of all threads refer to. A table is an object of columns.
type firefoxTables struct {
	strings           []string
	byString          map[string]int
	libs              []firefoxLib
	collection, burst int // names of markers, in strings

	sources   struct{ name []int }
	resources struct{ name, lib []int }
	funcs     struct {
		name, resource []int
		source         []*int
		isJS, forJS    []bool
	}
	frames struct {
		category, subcategory, fn []int
		line, column              []*int
	}
	stacks struct{ frame, prefixOffset []int32 }

	bySource map[string]int
	byLib    map[firefoxLib]int
	byFunc   map[firefoxFunc]int
	byFrame  map[firefoxFrame]int32
	byStack  map[[2]int32]int32 // by caller and frame
	stackOf  []int32            // by the stack of the recording
}

type firefoxLib struct {
	Arch      string `json:"arch"`
	Name      string `json:"name"`
	Path      string `json:"path"`
	DebugName string `json:"debugName"`
	DebugPath string `json:"debugPath"`
	Breakpad  string `json:"breakpadId"`
	CodeID    string `json:"codeId"`
}

type firefoxFunc struct {
	name, source, lib int // source and lib: or absent
	isJS, forJS       bool
}

type firefoxFrame struct{ place, top int32 }

func newFirefoxTables(r *recording) *firefoxTables {
	f := &firefoxTables{
		byString: map[string]int{}, libs: []firefoxLib{}, bySource: map[string]int{}, byLib: map[firefoxLib]int{},
		byFunc: map[firefoxFunc]int{}, byFrame: map[firefoxFrame]int32{}, byStack: map[[2]int32]int32{},
	}
	f.collection, f.burst = f.str("collection"), f.str("burst")
	var stack []int32
	for i := range r.keys {
		stack = r.rootFirst(stack, int32(i))
		f.stackOf = append(f.stackOf, f.stack(r.places, stack))
	}
	return f
}

func (f *firefoxTables) str(s string) int {
	id, ok := f.byString[s]
	if !ok {
		id = len(f.strings)
		f.strings = append(f.strings, s)
		f.byString[s] = id
	}
	return id
}

// stack returns the number of a stack, root first. What is on top of it for its state is no frame, but a category.
func (f *firefoxTables) stack(places []place, stack []int32) int32 {
	top := int32(absent)
	if last := stack[len(stack)-1]; last == collectorPlace || last == compilerPlace {
		top, stack = last, stack[:len(stack)-1]
	}
	at := int32(absent)
	for i, p := range stack {
		key := firefoxFrame{p, absent}
		if i == len(stack)-1 {
			key.top = top
		}
		edge := [2]int32{at, f.frame(&places[p], key)}
		id, ok := f.byStack[edge]
		if !ok {
			id = int32(len(f.stacks.frame))
			offset := int32(0) // a root
			if at != absent {
				offset = id - at
			}
			f.stacks.frame = append(f.stacks.frame, edge[1])
			f.stacks.prefixOffset = append(f.stacks.prefixOffset, offset)
			f.byStack[edge] = id
		}
		at = id
	}
	return at
}

func (f *firefoxTables) frame(p *place, key firefoxFrame) int32 {
	if id, ok := f.byFrame[key]; ok {
		return id
	}
	id, to := int32(len(f.byFrame)), &f.frames
	f.byFrame[key] = id
	category, subcategory := categoryOf(p, key.top)
	to.category, to.subcategory = append(to.category, category), append(to.subcategory, subcategory)
	to.fn = append(to.fn, f.function(p))
	to.line, to.column = append(to.line, known(p.line)), append(to.column, known(p.column))
	return id
}

// known returns a line or column, nil if it is unknown.
func known(n int) *int {
	if n == 0 {
		return nil
	}
	return &n
}

func (f *firefoxTables) function(p *place) int {
	key := firefoxFunc{f.str(p.name), absent, absent, p.code.kind == pprofx.JS, p.code.kind == pprofx.Builtin}
	switch {
	case p.code.module != "":
		key.lib = f.lib(p.code)
	case p.file != "":
		key.source = f.source(p.file)
	}
	id, ok := f.byFunc[key]
	if ok {
		return id
	}
	id, to := len(f.byFunc), &f.funcs
	f.byFunc[key] = id
	to.name, to.resource = append(to.name, key.name), append(to.resource, key.lib)
	to.isJS, to.forJS = append(to.isJS, key.isJS), append(to.forJS, key.forJS)
	source := &key.source
	if key.source == absent {
		source = nil
	}
	to.source = append(to.source, source)
	return id
}

func (f *firefoxTables) source(file string) int {
	id, ok := f.bySource[file]
	if !ok {
		id = len(f.bySource)
		f.sources.name = append(f.sources.name, f.str(file))
		f.bySource[file] = id
	}
	return id
}

// lib returns the number of a library, which is that of its resource too.
func (f *firefoxTables) lib(c code) int {
	name := path.Base(c.module)
	lib := firefoxLib{Name: name, Path: c.module, DebugName: name, DebugPath: c.module, CodeID: c.buildID}
	id, ok := f.byLib[lib]
	if !ok {
		id = len(f.libs)
		f.libs = append(f.libs, lib)
		f.byLib[lib] = id
		f.resources.name, f.resources.lib = append(f.resources.name, f.str(name)), append(f.resources.lib, id)
	}
	return id
}

// libraryResource is the type of a resource that is a library.
const libraryResource = 1

// column is one with the same value in each row.
func column[T any](value T, rows int) []T {
	list := make([]T, rows)
	for i := range list {
		list[i] = value
	}
	return list
}

// shared is the member of the file that has the tables.
func (f *firefoxTables) shared() map[string]any {
	sources, resources, funcs, frames := len(f.sources.name), len(f.libs), len(f.byFunc), len(f.byFrame)
	return map[string]any{
		"stringArray": f.strings,
		"sources": map[string]any{
			"length": sources, "id": column[any](nil, sources), "filename": column0(f.sources.name),
			"startLine": column(1, sources), "startColumn": column(1, sources),
			"sourceMapURL": column[any](nil, sources), "content": column[any](nil, sources),
		},
		"sourceLocationTable": map[string]any{"length": 0, "source": []int{}, "line": []int{}, "column": []int{}},
		"resourceTable": map[string]any{
			"length": resources, "name": column0(f.resources.name), "lib": column0(f.resources.lib),
			"host": column[any](nil, resources), "type": column(libraryResource, resources),
		},
		"nativeSymbols": map[string]any{
			"length": 0, "address": []int{}, "functionSize": []int{}, "libIndex": []int{}, "name": []int{},
		},
		"funcTable": map[string]any{
			"length": funcs, "name": f.funcs.name, "isJS": f.funcs.isJS, "relevantForJS": f.funcs.forJS,
			"resource": f.funcs.resource, "source": f.funcs.source, "lineNumber": column[any](nil, funcs),
			"columnNumber": column[any](nil, funcs), "originalLocation": column[any](nil, funcs),
		},
		"frameTable": map[string]any{
			"length": frames, "address": column(-1, frames), "inlineDepth": column(0, frames),
			"category": f.frames.category, "subcategory": f.frames.subcategory, "func": f.frames.fn,
			"nativeSymbol": column[any](nil, frames), "innerWindowID": column(0, frames), "line": f.frames.line,
			"column": f.frames.column, "originalLocation": column[any](nil, frames),
		},
		"stackTable": map[string]any{
			"length": len(f.stacks.frame), "frame": f.stacks.frame, "prefixOffset": f.stacks.prefixOffset,
		},
	}
}

// column0 is a column that is a list also if it is empty.
func column0(list []int) []int { return append([]int{}, list...) }
