package functions

import (
	"encoding/binary"
	"maps"
	"testing"

	"github.com/hotspan/hotspan/v8/heap"
	"github.com/hotspan/hotspan/v8/layout"
)

const scriptClass, scriptType = 0x1400, 103

// scriptAt is an object of a function and, behind it, its script, which another function has evaluated.
func (m *codeSpace) scriptAt(at uint64, id int, evaluated uint64) {
	script := at + 64
	m.word(at, functionClass|1)
	m.word(at+16, script|1)
	m.word(script, scriptClass|1)
	m.word(script+8, uint64(id)<<32)
	m.word(script+24, evaluated)
}

func newScriptSpace() (*codeSpace, *Resolver) {
	m, v := newCodeSpace()
	fields := maps.Clone(functionFields)
	maps.Copy(fields, map[layout.Field]int64{
		layout.TypeScript: scriptType, layout.ScriptID: 8, layout.ScriptLineOffset: 16, layout.ScriptColumnOffset: 16,
		layout.ScriptSource: 16, layout.ScriptName: 16, layout.ScriptSourceURL: 16, layout.ScriptEvalFrom: 24,
		layout.ScriptEvalPosition: 16, layout.TypeOddball: 0,
	})
	for f, n := range fields {
		v.r.Layout().Values[f] = layout.Value{State: layout.Known, N: n}
	}
	for class, number := range map[uint64]uint16{functionClass: functionType, scriptClass: scriptType} {
		binary.LittleEndian.PutUint16(m.bytes[class+typeAt:], number)
	}
	return m, v
}

// TestEvaluatedByEvaluated: a script that was evaluated by one that was evaluated, and so on without end, is not
// followed for long. It had hotspan end with a stack overflow.
func TestEvaluatedByEvaluated(t *testing.T) {
	const scripts, first, size = 200, 0x2000, 128
	m, v := newScriptSpace()
	for i := range scripts {
		m.scriptAt(first+uint64(i)*size, 1+i, first+uint64(i+1)%scripts*size|1)
	}
	v.Begin(Moment{Isolate: 1, Thread: 1})
	fn := v.function(heap.Identity{Script: 1}, first|1)
	if fn == nil || fn.script.Name != "eval" {
		t.Errorf("%+v", fn)
	}
	if n := len(v.scripts); n == 0 || n > maxEvals+1 {
		t.Errorf("%d scripts were followed", n)
	}
}
