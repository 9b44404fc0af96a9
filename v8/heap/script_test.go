package heap

import (
	"strings"
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
			before = m.Put(smi(1), smi(2))
		}
		words := make([]Word, 16)
		words[0], words[sourceAt] = m.class(l.At(layout.TypeScript)), before
		words[l.At(layout.ScriptID)/8] = smi(7)
		script := m.Put(words...)
		r := NewReader(m, l)
		s, err := r.Script(script)
		if err != nil {
			t.Fatal(err)
		}
		m.Set(script, sourceAt, m.chars(seqOne, 9, "a\nbc\n def"))
		if line, column, err := r.Position(s, 6); err != nil || line != 3 || column != 2 {
			t.Errorf("%s where the source was: line %d, column %d, %v; want 3, 2", what, line, column, err)
		}
		m.Set(script, sourceAt, before)
		m.Set(script, l.At(layout.ScriptID)/8, smi(8)) // another script by now
		if line, column, err := r.Position(s, 6); err != nil || line != 3 || column != 2 {
			t.Errorf("%s, later: line %d, column %d, %v; want 3, 2", what, line, column, err)
		}
	}
}

// TestScriptName: a script whose name cannot be read is not said to have none.
func TestScriptName(t *testing.T) {
	m, l := &image{}, testLayout()
	undefined := m.Put(m.class(l.At(layout.TypeOddball)))
	file, url, empty := m.chars(seqOne, 4, "a.js"), m.chars(seqOne, 5, "b.js?"), m.chars(seqOne, 0, "")
	long := m.chars(seqOne, maxURL+1, strings.Repeat("x", maxURL+1))
	for _, c := range []struct {
		what      string
		name, url Word
		want, err string
	}{
		{"a name", file, url, "a.js", ""},
		{"no name", undefined, url, "b.js?", ""},
		{"an empty name", empty, url, "b.js?", ""},
		{"neither", undefined, undefined, "eval", ""},
		{"neither, and no objects", 0, smi(1), "eval", ""},
		{"a name that is too long", long, url, strings.Repeat("x", maxURL) + "…", ""},
		{"a name that V8 is changing", m.cons(file, empty, 9), url, "", "4 characters of 9"},
		{"a name that is gone", 0x700000000001, url, "", "no memory"},
		{"an URL that is gone", undefined, 0x700000000001, "", "no memory"},
	} {
		words := make([]Word, 16)
		words[0], words[l.At(layout.ScriptName)/8] = m.class(l.At(layout.TypeScript)), c.name
		words[l.At(layout.ScriptSourceURL)/8] = c.url
		s, err := NewReader(m, l).Script(m.Put(words...))
		switch {
		case c.err == "" && (err != nil || s.Name != c.want):
			t.Errorf("%s: %+v, %v, want %q", c.what, s, err, c.want)
		case c.err != "" && (err == nil || !strings.Contains(err.Error(), c.err)):
			t.Errorf("%s: %v, want an error with %q", c.what, err, c.err)
		}
	}
}

// TestRope: a script whose text has many parts takes few reads. V8 has none, and it is read between samples.
func TestRope(t *testing.T) {
	m, l := &image{}, testLayout()
	rope := m.cons(0, 0, 1<<16)
	m.Set(rope, 2, m.chars(seqOne, 1, "x"))
	m.Set(rope, 3, rope)
	words := make([]Word, 16)
	words[0], words[l.At(layout.ScriptSource)/8] = m.class(l.At(layout.TypeScript)), rope
	words[l.At(layout.ScriptSourceMappingURL)/8] = rope
	script := m.Put(words...)
	s, err := NewReader(m, l).Script(script)
	if err != nil {
		t.Fatal(err)
	}
	r := NewReader(m, l)
	for what, read := range map[string]func() error{
		"lines": func() error { _, _, err := r.Position(s, 1); return err },
		"part":  func() error { _, err := r.SourcePart(script, 0, 1<<15); return err },
		"map":   func() error { _, err := r.MapURL(script, 1<<16); return err },
	} {
		m.Reads = 0
		if err := read(); err == nil || m.Reads > 4000 {
			t.Errorf("%s: %d reads, %v", what, m.Reads, err)
		}
	}
}

// TestManyLines: of a script with more lines than are kept none is known, and its text is not read again.
func TestManyLines(t *testing.T) {
	m, l := &image{}, testLayout()
	words := make([]Word, 16)
	words[0], words[l.At(layout.ScriptSource)/8] = m.class(l.At(layout.TypeScript)),
		m.chars(seqOne, maxLines+7, strings.Repeat("\n", maxLines+7))
	r := NewReader(m, l)
	s, err := r.Script(m.Put(words...))
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if line, _, err := r.Position(s, maxLines+3); err == nil {
			t.Errorf("line %d", line)
		}
		if !s.HasLines() || s.Size() != 0 {
			t.Errorf("lines are read: %v, of %d bytes", s.HasLines(), s.Size())
		}
	}
}
