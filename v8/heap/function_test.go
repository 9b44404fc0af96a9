package heap

import (
	"testing"

	"github.com/hotspan/hotspan/v8/heap/heaptest"
	"github.com/hotspan/hotspan/v8/layout"
	"github.com/hotspan/hotspan/v8/target"
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
		{"undefined", inferred, func(m *image) []Word { return []Word{m.Put(m.class(l.At(layout.TypeOddball)))} }, "",
			true},
		{"a Smi", inferred, func(m *image) []Word { return []Word{smi(1)} }, "", true},
		{"gone", functionVar, func(m *image) []Word { return []Word{gone, 0} }, "", false},
		{"something else by now", inferred, func(m *image) []Word { return []Word{m.Put(m.class(0x840))} }, "", false},
	} {
		m := &image{}
		slots := c.slots(m)
		words := make([]Word, l.At(layout.ScopeInfoFirstVars)/8)
		words[0], words[1] = m.class(l.At(layout.TypeScopeInfo)), c.flags
		scope := m.Put(append(words, slots...)...)
		sfi := make([]Word, 9)
		sfi[0], sfi[l.At(layout.SFINameOrScopeInfo)/8] = m.class(l.At(layout.TypeSharedFunctionInfo)), scope
		f, err := NewReader(m, l).Function(m.Put(sfi...))
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
	if m.Reads == m.before {
		m.move()
	}
	return m.image.ReadAt(p, off)
}

func (m *collected) ReadParts(parts []target.Part) (int, error) {
	for i, p := range parts {
		if _, err := m.ReadAt(p.To, int64(p.At)); err != nil {
			return i, err
		}
	}
	return len(parts), nil
}

// withName is memory with a function and a script that have one string as their names and as the URL of a source map,
// which move moves. Each is on a page of its own.
func withName(l *layout.Layout) (m *image, sfi, script Word, move func()) {
	const inferred = 1 << 14
	m = &image{}
	name := m.chars(seqOne, 4, "a.js")
	m.turnPage()
	info := make([]Word, l.At(layout.ScopeInfoFirstVars)/8)
	info[0], info[1] = m.class(l.At(layout.TypeScopeInfo)), inferred
	scope := m.Put(append(info, name, 0)...)
	m.turnPage()
	words := make([]Word, 9)
	words[0], words[l.At(layout.SFINameOrScopeInfo)/8] = m.class(l.At(layout.TypeSharedFunctionInfo)), scope
	sfi = m.Put(words...)
	m.turnPage()
	words = make([]Word, 16)
	words[0], words[l.At(layout.ScriptName)/8] = m.class(l.At(layout.TypeScript)), name
	words[l.At(layout.ScriptSourceMappingURL)/8], words[l.At(layout.ScriptSource)/8] = name, m.chars(seqOne, 1, ";")
	script = m.Put(words...)
	m.turnPage()
	moved := m.chars(seqOne, 4, "c.js")
	m.turnPage()
	characters := func(w Word, text string) {
		copy(m.B[w.address()+uint64(l.At(layout.SeqStringChars))-heaptest.Base:], text)
	}
	return m, sfi, script, func() {
		m.Set(scope, len(info), moved)
		m.Set(script, l.At(layout.ScriptName)/8, moved)
		m.Set(script, l.At(layout.ScriptSourceMappingURL)/8, moved)
		characters(moved, "a.js")
		characters(name, "b.js")
	}
}

// TestNamesMove: whenever a collection moves a name, and V8 puts another string where it was, what is read is the name,
// or cannot be read, also from memory that keeps what was read, as of a page before the name came there. Names of
// functions are moved in mark-compacts only: whether there was one is what package stack looks at.
func TestNamesMove(t *testing.T) {
	l := testLayout()
	direct := func(m *collected) *Reader { return NewReader(m, l) }
	paged := func(m *collected) *Reader { return NewReader(target.NewPages(m), l) }
	stale := func(m *collected) *Reader {
		r := paged(m)
		r.WordAt(uint64(heaptest.Base + len(m.B) - 8)) // where the name comes
		return r
	}
	for what, reader := range map[string]func(m *collected) *Reader{"direct": direct, "paged": paged, "stale": stale} {
		for of, read := range namesOf {
			if what != "direct" && of == "function" {
				continue
			}
			t.Run(what+"/"+of, func(t *testing.T) { testNameMoves(t, l, reader, read) })
		}
	}
}

// namesOf reads the name of withName.
var namesOf = map[string]func(r *Reader, sfi, script Word) (string, error){
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
		if _, err := r.Script(script); err != nil {
			return "", err
		}
		u, err := r.MapURL(script, maxURL)
		if err != nil {
			return "", err
		}
		return u.String(), nil
	},
}

func testNameMoves(t *testing.T, l *layout.Layout, reader func(*collected) *Reader,
	read func(r *Reader, sfi, script Word) (string, error)) {
	failed := 0
	for before := 0; ; before++ {
		m, sfi, script, move := withName(l)
		got, err := read(reader(&collected{m, before, move}), sfi, script)
		if err == nil && got != "a.js" {
			t.Errorf("moved before read %d: %q", before, got)
		}
		if err != nil {
			failed++
		}
		if m.Reads <= before {
			break
		}
	}
	if failed == 0 {
		t.Error("a name that has moved was never noticed")
	}
}
