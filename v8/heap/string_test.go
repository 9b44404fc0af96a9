package heap

import (
	"encoding/binary"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/google/go-cmp/cmp"
)

func TestStrings(t *testing.T) {
	m := &image{}
	hello := m.chars(seqOne, 5, "hello")
	latin := m.chars(seqOne, 4, "caf\xe9")
	two := m.chars(seqTwo, 3, "\x3d\xd8\x00\xde\x16\x4e") // U+1F600 U+4E16
	half := m.chars(seqTwo, 1, "\x3d\xd8")
	empty := m.chars(seqOne, 0, "")
	thin := m.Put(m.class(thinOne), 4<<32, latin)
	sliced := m.Put(m.class(slicedOne), 3<<32, hello, smi(1))
	slicedThin := m.Put(m.class(slicedOne), 2<<32, thin, smi(2))
	external := m.Put(m.class(externalOne), 5<<32, 0x7f0000001234, Word(hello.address()+16))
	moved := m.Put(hello - 1)
	rope := m.cons(m.cons(hello, empty, 5), m.cons(two, m.cons(thin, sliced, 7), 10), 15)
	flattened := m.cons(hello, latin, 5) // its second part is still what it was, "café" of "hcafé"
	key := m.chars(seqOne, 12, "/checkout/id")
	keyed := m.chars(seqOne, 12, string(binary.LittleEndian.AppendUint64(nil, uint64(key)))+"t/id")
	slicedKeyed := m.Put(m.class(slicedOne), 8<<32, keyed, smi(3))

	for _, c := range []struct {
		name  string
		w     Word
		limit int
		want  string
	}{
		{"one byte", hello, 99, "hello"},
		{"cut", hello, 2, "he"},
		{"Latin-1", latin, 99, "café"},
		{"two bytes", two, 99, "\U0001F600世"},
		{"half a pair", half, 99, "\uFFFD"},
		{"empty", empty, 99, ""},
		{"thin", thin, 99, "café"},
		{"sliced", sliced, 99, "ell"},
		{"sliced, cut", sliced, 2, "el"},
		{"sliced of a thin string", slicedThin, 99, "fé"},
		{"external", external, 99, "hello"},
		{"moved", moved, 99, "hello"},
		{"cons of all sorts", rope, 99, "hello\U0001F600世caféell"},
		{"cons, cut in its second part", rope, 7, "hello\U0001F600"},
		{"cons that is being flattened", flattened, 99, "hello"},
		{"flat, becoming a reference", keyed, 99, "/checkout/id"},
		{"sliced of such a one", slicedKeyed, 99, "eckout/i"},
	} {
		t.Run(c.name, func(t *testing.T) {
			checkParts(t, NewReader(m, testLayout()), c.w, c.want)
			got, err := NewReader(m, testLayout()).String(c.w, c.limit)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// checkParts reads pieces of a string from each of its units on.
func checkParts(t *testing.T, r *Reader, w Word, whole string) {
	t.Helper()
	units := utf16.Encode([]rune(whole))
	if all, err := r.Text(w, 99); err != nil || all.Len() != len(units) {
		return // this case cuts it
	}
	for skip := range units {
		n := min(4, len(units)-skip)
		got, err := r.pieces(piece{w: w, skip: skip, length: 4}, maxPieces)
		want := (&Text{Two: units[skip : skip+n]}).String()
		if err != nil || got.String() != want && whole != "\uFFFD" {
			t.Errorf("from %d on: %q, %v, want %q", skip, got, err, want)
		}
	}
}

func TestHostileStrings(t *testing.T) {
	m := &image{}
	hello := m.chars(seqOne, 5, "hello")
	empty := m.chars(seqOne, 0, "")
	sliced := func(parent, offset Word) Word { return m.Put(m.class(slicedOne), 3<<32, parent, offset) }
	ownCons := m.cons(empty, 0, 1<<30)
	m.Set(ownCons, 3, ownCons)
	ownFirst := m.cons(0, hello, 1<<30)
	m.Set(ownFirst, 2, ownFirst)
	ownThin := m.Put(m.class(thinOne), 9<<32, 0)
	m.Set(ownThin, 2, ownThin)
	ownSliced := sliced(0, 0)
	m.Set(ownSliced, 2, ownSliced)
	moved := m.Put(0)
	m.Set(moved, 0, m.Put(0)-1) // to something without a hidden class

	for _, c := range []struct {
		name string
		w    Word
		err  string
	}{
		{"a Smi", smi(5), "not a heap object"},
		{"null", 0, "not a heap object"},
		{"of memory that is not there", 0x700000000001, "no memory"},
		{"cons of itself", ownCons, "parts"},
		{"cons that begins with itself", ownFirst, "parts"},
		{"thin of itself", ownThin, "parts"},
		{"sliced of itself", ownSliced, "parts"},
		{"sliced of a cons", sliced(m.cons(hello, hello, 10), smi(1)), "sliced string of a cons"},
		{"sliced with a negative offset", sliced(hello, smi(-1)), "offset"},
		{"sliced with an offset that is no Smi", sliced(hello, 1234), "offset"},
		{"longer than memory", m.chars(seqOne, 1<<30, "x"), "no memory"},
		{"longest length there is", m.chars(seqTwo, -1, "x"), "no memory"},
		{"external without data", m.Put(m.class(uncachedOne), 5<<32, 0, 0), "external"},
		{"external at a wild address", m.Put(m.class(externalOne), 5<<32, 0, 1<<63), "no memory"},
		{"not a string", m.Put(m.class(128), 5<<32, 0, 0), "not a string"},
		{"of no representation", m.Put(m.class(4), 5<<32, 0, 0), "not a string"},
		{"moved to nowhere", moved, "hidden class"},
		{"sliced past its parent", sliced(hello, smi(6)), "0 characters of 3"},
		{"sliced longer than its parent", m.Put(m.class(slicedOne), 100<<32, hello, smi(1)), "4 characters of 100"},
		{"cons of less than it says", m.cons(hello, empty, 9), "5 characters of 9"},
	} {
		t.Run(c.name, func(t *testing.T) {
			m.Reads = 0
			got, err := NewReader(m, testLayout()).String(c.w, 1024)
			if err == nil || !strings.Contains(err.Error(), c.err) {
				t.Errorf("got %q, %v, want an error with %q", got, err, c.err)
			}
			if m.Reads > maxStringReads {
				t.Errorf("%d reads", m.Reads)
			}
			if c.name != "not a string" {
				return
			}
			if n, err := NewReader(m, testLayout()).StringUnits(c.w); err == nil {
				t.Errorf("it has %d units", n)
			}
		})
	}
}

// maxStringReads is what a name may cost: for each part its map word, type and length, and two words of its own.
const maxStringReads = 5 * 256

func TestLongNamesSayThatTheyAreCut(t *testing.T) {
	mem := &image{}
	for _, n := range []int{maxName - 1, maxName, maxName + 1} {
		w := mem.chars(seqOne, n, strings.Repeat("n", n))
		got, err := NewReader(mem, testLayout()).Name(w)
		want := strings.Repeat("n", min(n, maxName))
		if n > maxName {
			want += "…"
		}
		if got != want || err != nil {
			t.Errorf("%d characters: %q, %v", n, got, err)
		}
	}
}

func TestTextWithoutCopyIsUTF16(t *testing.T) {
	m := &image{}
	two := m.chars(seqTwo, 2, "\x3d\xd8\x00\xde")
	got, err := NewReader(m, testLayout()).Text(m.cons(m.chars(seqOne, 1, "a"), two, 3), 99)
	if err != nil || got.Len() != 3 || got.One != nil {
		t.Fatalf("%+v, %v", got, err)
	}
	if diff := cmp.Diff(utf16.Encode([]rune("a\U0001F600")), got.Two); diff != "" {
		t.Error(diff)
	}
}

func TestLineEnds(t *testing.T) {
	for _, c := range []struct {
		text Text
		want []int32
	}{
		{Text{}, nil},
		{Text{One: []byte("a\nb\r\nc\rd\r")}, []int32{1, 4, 6, 8}},
		{Text{One: []byte("\n\r\n\r\r")}, []int32{0, 2, 3, 4}},
		{Text{One: []byte("\na\n\nb\n")}, []int32{0, 2, 3, 5}},
		{Text{Two: []uint16{'a', 0x2028, 0x2029, '\r', '\n', 0x85, 0x0b}}, []int32{1, 2, 4}}, // not NEL, not VT
		{Text{One: []byte{0x28, 0x20, 0x29, 0x20}}, nil},
	} {
		if diff := cmp.Diff(c.want, lineEnds(&c.text)); diff != "" {
			t.Errorf("%+v: %s", c.text, diff)
		}
	}
}

func TestPosition(t *testing.T) {
	s := &Script{LineOffset: 7, ColumnOffset: 3, ends: []int32{4, 5, 9}, read: true}
	for _, c := range []struct{ offset, line, column int }{
		{0, 8, 4}, {4, 8, 8}, {5, 9, 1}, {6, 10, 1}, {9, 10, 4}, {10, 11, 1}, {100, 11, 91},
	} {
		line, column, err := (&Reader{}).Position(s, c.offset)
		if line != c.line || column != c.column || err != nil {
			t.Errorf("offset %d: %d:%d, %v, want %d:%d", c.offset, line, column, err, c.line, c.column)
		}
	}
}
