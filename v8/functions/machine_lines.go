package functions

import (
	"golang.org/x/arch/x86/x86asm"

	"github.com/hotspan/hotspan/v8/x86"
)

// lineTable collects the lines of a piece of machine code.
type lineTable struct {
	v     *Resolver
	lines []CodeLine
	texts map[sourceLine]bool // that have been read
}

type sourceLine struct {
	file string
	line int
}

// add has the instructions from an offset on be at a place in a function's source; nil: it is not known.
func (t *lineTable) add(offset int, fn *function, source int) {
	l := CodeLine{Offset: max(offset, 0)}
	if fn != nil {
		f := fn.frame(NoTier)
		if t.v.locate(f, fn, source); f.Line > 0 {
			l.File, l.Line, l.Column = f.File, f.Line, f.Column
		}
	}
	if !t.put(l) || l.Line == 0 || len(t.texts) >= maxLineTexts || t.texts[sourceLine{l.File, l.Line}] {
		return
	}
	t.texts[sourceLine{l.File, l.Line}] = true
	if text, err := t.v.r.LineText(fn.script.Script, source, maxLineText); err == nil {
		t.lines[len(t.lines)-1].Text = text
	}
}

// put adds a line, unless it is that before. Of several entries for an instruction the last counts.
func (t *lineTable) put(l CodeLine) bool {
	n := len(t.lines)
	if n > 0 && t.lines[n-1].Offset == l.Offset {
		delete(t.texts, sourceLine{t.lines[n-1].File, t.lines[n-1].Line})
		n--
		t.lines = t.lines[:n]
	}
	if n == maxCodeLines {
		return false
	}
	if n == maxCodeLines-1 { // the rest is not known
		l = CodeLine{Offset: l.Offset}
	}
	if n > 0 && t.lines[n-1].File == l.File && t.lines[n-1].Line == l.Line && t.lines[n-1].Column == l.Column {
		return false
	}
	t.lines = append(t.lines, l)
	return l.Line > 0
}

func (t *lineTable) ofBaseline(c *code) {
	fn := t.v.functions[c.id]
	if fn == nil {
		return
	}
	from := 0
	for end, bytecode := range t.v.r.Bytecodes(c.baseline) {
		t.add(from, fn, c.baseline.Bytecode.Positions.SourceAt(bytecode))
		from = end
	}
	t.add(from, nil, -1)
}

// ofOptimized has lines for the code proper. Out-of-line code and deopt exits have no entries in the position table:
// behind the last entry, and in deferred code, an entry ends where its block does.
func (t *lineTable) ofOptimized(c *code, text []byte) {
	positions := c.optimized.Positions
	deferred := x86.DeferredStart(text)
	for i, p := range positions {
		from, to := max(int(p.Code), 0), len(text)
		if i+1 < len(positions) {
			to = int(positions[i+1].Code)
		}
		if from > to || to > len(text) {
			return // the table is no table of this code
		}
		if calls := c.optimized.Calls(from); len(calls) > 0 {
			t.add(from, c.functions[calls[0].Function], calls[0].Source)
		} else {
			t.add(from, nil, -1)
		}
		if i+1 == len(positions) || from >= deferred {
			if n, _, _ := x86.Find(text[from:to], to-from, x86asm.JMP, x86asm.RET); from+n < to {
				t.add(from+n, nil, -1)
			}
		}
	}
}

// ofWasm gives the lines that frames of WebAssembly have. Where functions are inlined, V8 tells of calls only which
// function they are in: an entry ends behind its call.
func (t *lineTable) ofWasm(k CodeKey, text []byte) {
	tables, err := k.wasm.Tables(t.v.r)
	m := t.v.wasmModule(k.wasm.Module)
	if err != nil || m == nil {
		return
	}
	offsets := append(tables.Offsets(), len(text))
	for i, offset := range offsets[:len(offsets)-1] {
		calls := tables.Calls(k.wasm.Index, offset)
		if len(calls) == 0 || offset > len(text) {
			return
		}
		f := t.v.wasmFrame(m, calls[0])
		from, to := max(offset, 0), min(offsets[i+1], len(text))
		t.put(CodeLine{Offset: from, File: f.File, Line: f.Line, Column: f.Column})
		if !tables.Inlines() || from > to {
			continue
		}
		if n, _, _ := x86.Find(text[from:to], to-from, x86asm.CALL, x86asm.JMP, x86asm.RET); from+n < to {
			t.put(CodeLine{Offset: from + n})
		}
	}
}
