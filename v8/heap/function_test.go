package heap

import (
	"testing"

	"github.com/hotspan/hotspan/v8/layout"
)

// TestFunctionNames: a function has no name where V8 gave it none, and not where its name cannot be read at present.
func TestFunctionNames(t *testing.T) {
	const gone Word = 0x7f0000000001 // where no memory is
	const functionVar, inferred = 1 << 12, 1 << 14
	l := testLayout()
	for _, c := range []struct {
		what     string
		flags    Word
		slots    func(m *image) []Word // name of the variable and a word; inferred name
		want     string
		readable bool
	}{
		{"own", functionVar | inferred,
			func(m *image) []Word {
				return []Word{m.chars(seqOne, 3, "own"), 0,
					m.chars(seqOne, 2, "a.b")}
			}, "own", true},
		{"inferred", functionVar | inferred,
			func(m *image) []Word { return []Word{m.chars(seqOne, 0, ""), 0, m.chars(seqOne, 3, "a.b")} }, "a.b", true},
		{"inferred, own gone", functionVar | inferred,
			func(m *image) []Word { return []Word{gone, 0, m.chars(seqOne, 3, "a.b")} }, "", false},
		{"none", 0, func(m *image) []Word { return nil }, "", true},
		{"undefined", inferred, func(m *image) []Word { return []Word{m.put(m.class(l.At(layout.TypeOddball)))} }, "",
			true},
		{"a Smi", inferred, func(m *image) []Word { return []Word{smi(1)} }, "", true},
		{"gone", functionVar, func(m *image) []Word { return []Word{gone, 0} }, "", false},
		{"something else by now", inferred, func(m *image) []Word { return []Word{m.put(m.class(0x840))} }, "", false},
	} {
		m := &image{}
		slots := c.slots(m)
		words := make([]Word, l.At(layout.ScopeInfoFirstVars)/8)
		words[0], words[1] = m.class(l.At(layout.TypeScopeInfo)), c.flags
		scope := m.put(append(words, slots...)...)
		sfi := make([]Word, 9)
		sfi[0], sfi[l.At(layout.SFINameOrScopeInfo)/8] = m.class(l.At(layout.TypeSharedFunctionInfo)), scope
		f, err := NewReader(m, l).Function(m.put(sfi...))
		if (err == nil) != c.readable || f != nil && f.Name != c.want {
			t.Errorf("%s: %+v, %v; want %q", c.what, f, err, c.want)
		}
	}
}

// collected is memory in which a collection moves something before a read.
type collected struct {
	*image
	before int
	move   func()
}

func (m *collected) ReadAt(p []byte, off int64) (int, error) {
	if m.reads == m.before {
		m.move()
	}
	return m.image.ReadAt(p, off)
}

// withName is memory with a function and a script that have one string as their names and as the URL of a source map,
// which move moves.
func withName(l *layout.Layout) (m *image, sfi, script Word, move func()) {
	const inferred = 1 << 14
	m = &image{}
	name := m.chars(seqOne, 4, "a.js")
	info := make([]Word, l.At(layout.ScopeInfoFirstVars)/8)
	info[0], info[1] = m.class(l.At(layout.TypeScopeInfo)), inferred
	scope := m.put(append(info, name, 0)...)
	words := make([]Word, 9)
	words[0], words[l.At(layout.SFINameOrScopeInfo)/8] = m.class(l.At(layout.TypeSharedFunctionInfo)), scope
	sfi = m.put(words...)
	words = make([]Word, 16)
	words[0], words[l.At(layout.ScriptName)/8] = m.class(l.At(layout.TypeScript)), name
	words[l.At(layout.ScriptSourceMappingURL)/8], words[l.At(layout.ScriptSource)/8] = name, m.chars(seqOne, 1, ";")
	script = m.put(words...)
	moved := m.chars(seqOne, 4, "a.js")
	return m, sfi, script, func() {
		m.set(scope, len(info), moved)
		m.set(script, l.At(layout.ScriptName)/8, moved)
		m.set(script, l.At(layout.ScriptSourceMappingURL)/8, moved)
		copy(m.b[name.address()+uint64(l.At(layout.SeqStringChars))-imageBase:], "b.js")
	}
}

// TestNamesMove: whenever a collection moves a name, and V8 puts another string where it was, what is read is the name,
// or cannot be read.
func TestNamesMove(t *testing.T) {
	l := testLayout()
	for what, read := range map[string]func(r *Reader, sfi, script Word) (string, error){
		"function": func(r *Reader, sfi, _ Word) (string, error) {
			f, err := r.Function(sfi)
			if err != nil {
				return "", err
			}
			return f.Name, nil
		},
		"script": func(r *Reader, _, script Word) (string, error) {
			s, err := r.Script(script)
			if err != nil {
				return "", err
			}
			return s.Name, nil
		},
		"source map": func(r *Reader, _, script Word) (string, error) {
			u, err := r.MapURL(script, maxURL)
			if err != nil {
				return "", err
			}
			return u.String(), nil
		},
	} {
		failed := 0
		for before := 0; ; before++ {
			m, sfi, script, move := withName(l)
			got, err := read(NewReader(&collected{m, before, move}, l), sfi, script)
			if err == nil && got != "a.js" {
				t.Errorf("%s, moved before read %d: %q", what, before, got)
			}
			if err != nil {
				failed++
			}
			if m.reads <= before {
				break
			}
		}
		if failed == 0 {
			t.Errorf("%s: a name that has moved was never noticed", what)
		}
	}
}
