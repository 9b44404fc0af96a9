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
			func(m *image) []Word { return []Word{gone, 0, m.chars(seqOne, 3, "a.b")} }, "a.b", true},
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
