package heap

import (
	"testing"

	"github.com/hotspan/hotspan/v8/layout"
)

// TestSourceMoves: between the look at a script and that at its text a collection may move the text, and put any other
// where it was.
func TestSourceMoves(t *testing.T) {
	const sourceAt = 8 / 8 // word of the Script
	l := testLayout()
	for what, old := range map[string]string{"another text": "\n\n\n\n\n\n\n\n\n", "no text": ""} {
		m := &image{}
		before := m.chars(seqOne, 9, old)
		if old == "" {
			before = m.put(smi(1), smi(2))
		}
		words := make([]Word, 16)
		words[0], words[sourceAt] = m.class(l.At(layout.TypeScript)), before
		words[l.At(layout.ScriptID)/8] = smi(7)
		script := m.put(words...)
		r := NewReader(m, l)
		s, err := r.Script(script)
		if err != nil {
			t.Fatal(err)
		}
		m.set(script, sourceAt, m.chars(seqOne, 9, "a\nbc\n def"))
		if line, column, err := r.Position(s, 6); err != nil || line != 3 || column != 2 {
			t.Errorf("%s where the source was: line %d, column %d, %v; want 3, 2", what, line, column, err)
		}
		m.set(script, sourceAt, before)
		m.set(script, l.At(layout.ScriptID)/8, smi(8)) // another script by now
		if line, column, err := r.Position(s, 6); err != nil || line != 3 || column != 2 {
			t.Errorf("%s, later: line %d, column %d, %v; want 3, 2", what, line, column, err)
		}
	}
}
