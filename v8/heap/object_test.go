package heap

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hotspan/hotspan/v8/heap/heaptest"
	"github.com/hotspan/hotspan/v8/layout"
)

// details are a data field's, as in src/objects/property-details.h: the index of the field from bit 19 on.
func details(field int) Word { return smi(field << 19) }

// hiddenClass adds a class of objects of size words, of which the fields begin at word start.
func (m *image) hiddenClass(size, start, own int, descriptors Word) Word {
	meta := m.class(0x110)
	return m.Put(meta, Word(size|start<<8)|0x421<<32, Word(own<<10), 0, 0, descriptors)
}

func TestShape(t *testing.T) {
	m := &image{}
	a, b, c := m.chars(seqOne, 1, "a"), m.chars(seqTwo, 1, "\x16\x4e"), m.chars(seqOne, 2, "#c")
	private := m.Put(m.class(128), 1<<36|0x55<<2, c)
	descriptors := m.Put(0, 0, 0, // map, counts, enum cache
		a, details(0), 0,
		a, smi(1), 0, // an accessor
		a, smi(1<<5), 0, // a constant of the class
		a, a, 0, // details that are no Smi
		b, details(1), 0,
		smi(3), details(1), 0, // no name
		private, details(2), 0,
		a, details(9), 0) // not own
	class := m.hiddenClass(5, 3, 7, descriptors)
	got, err := NewReader(m, testLayout()).Shape(class)
	want := &Shape{Type: 0x421, Descriptors: descriptors, Own: 7, Properties: []Property{
		{"a", false, Slot{3, false}, false}, {"世", false, Slot{4, false}, false}, {"#c", true, Slot{0, true}, true}}}
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}

	array := m.Put(0, 0, 0x1234_0000_0000)
	object := m.Put(class, array, 0, smi(1), smi(2))
	r := NewReader(m, testLayout())
	for name, want := range map[string]Word{"a": smi(1), "世": smi(2), "#c": 0x1234_0000_0000} {
		if got, err := r.Named(m.Put(object-1), name); err != nil || got != want { // through a forwarding word
			t.Errorf("%s = 0x%x, %v, want 0x%x", name, uint64(got), err, uint64(want))
		}
	}
	if _, err := r.Named(object, "d"); !errors.Is(err, ErrNotFound) {
		t.Errorf("a property that is not there: %v", err)
	}
	m.Set(object, 1, smi(99)) // an identity hash in its place
	if w, err := r.Named(object, "#c"); err == nil {
		t.Errorf("no property array, but #c is 0x%x", uint64(w))
	}
	if _, err := r.Shape(object); err == nil {
		t.Error("an object is no hidden class")
	}
}

func TestShapeWithoutSlots(t *testing.T) {
	m := &image{}
	r := NewReader(m, testLayout())
	dictionary := m.hiddenClass(5, 3, 2, 0)
	m.Set(dictionary, 2, 1<<21|2<<10)
	if s, err := r.Shape(dictionary); err != nil || !s.Dictionary || s.Own != 2 || len(s.Properties) != 0 {
		t.Errorf("dictionary: %+v, %v", s, err)
	}
	if s, err := r.Shape(m.hiddenClass(5, 3, 1023, 0x7001)); err != nil || s.Own != 1023 || len(s.Properties) != 0 {
		t.Errorf("1023 descriptors: %+v, %v", s, err)
	}
	if s, err := r.Shape(m.hiddenClass(5, 3, 1020, 0x7001)); err == nil {
		t.Errorf("descriptors that are not there: %+v", s)
	}
}

// A class with the most descriptors there can be, whose names are all cycles, must still be cheap to refuse.
func TestShapeOfCycles(t *testing.T) {
	m := &image{}
	name := m.cons(0, 0, 1<<30)
	m.Set(name, 2, name)
	m.Set(name, 3, name)
	words := []Word{0, 0, 0}
	for i := range 1020 {
		words = append(words, name, details(i), 0)
	}
	s, err := NewReader(m, testLayout()).Shape(m.hiddenClass(5, 3, 1020, m.Put(words...)))
	if err != nil || len(s.Properties) != 0 {
		t.Errorf("%+v, %v", s, err)
	}
	if m.Reads > mostReads {
		t.Errorf("%d reads", m.Reads)
	}
}

// TestOwn: properties have their keys and values, whether these are in the object, beside it or in its class; names are
// not read, which may be cycles.
func TestOwn(t *testing.T) {
	m := &image{}
	name := m.cons(0, 0, 1<<30)
	m.Set(name, 2, name)
	m.Set(name, 3, name)
	descriptors := m.Put(0, 0, 0, name, details(0), 0, name, smi(1<<5), smi(7), name, details(1)|smi(1<<3), 0,
		name, smi(1<<5|1), 0x9001)
	object := m.Put(m.hiddenClass(4, 3, 4, descriptors), m.Put(0, 0, smi(9)), 0, smi(8))
	got, err := NewReader(m, testLayout()).Own(object)
	want := []Own{{Key: name, Value: smi(8), Enumerable: true}, {Key: name, Value: smi(7), Enumerable: true},
		{Key: name, Value: smi(9)}, {Key: name, Value: 0x9001, Accessor: true, Enumerable: true}}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Error(err, diff)
	}
	if m.Reads > 20 {
		t.Errorf("%d reads", m.Reads)
	}
}

func TestEntries(t *testing.T) {
	m := &image{}
	jsMap := func(table Word) Word { return m.Put(m.class(0x840), 0, 0, table) }
	arrayMap := m.class(0x118)
	// 2 elements, 1 deleted, 2 buckets; then entries of key, value and next
	table := m.Put(arrayMap, smi(20), smi(2), smi(1), smi(2), smi(0), smi(-1), 0xa1, smi(1), smi(-1), 0xb1, 0xb5, 0,
		0xc1, smi(3), 0)
	r := NewReader(m, testLayout())
	got, err := r.Entries(jsMap(table))
	if diff := cmp.Diff([]Entry{{0xa1, smi(1)}, {0xb1, 0xb5}, {0xc1, smi(3)}}, got); diff != "" || err != nil {
		t.Error(err, diff)
	}
	if got, err := r.Entries(jsMap(m.Put(table - 1))); err != nil || len(got) != 3 {
		t.Errorf("table that has moved: %v, %v", got, err)
	}
	for _, c := range []struct {
		name  string
		table Word
		err   string
	}{
		{"too many elements", m.Put(arrayMap, 0, smi(1<<12+1), 0, smi(2)), "4097 entries"},
		{"too many deleted", m.Put(arrayMap, 0, 0, smi(1<<12+1), smi(2)), "4097 deleted"},
		{"negative buckets", m.Put(arrayMap, 0, 0, 0, smi(-1)), "word 2 is"},
		{"no Smi", m.Put(arrayMap, 0, 17, 0, 0), "word 0 is"},
		{"more than there are", m.Put(arrayMap, 0, smi(1<<12), smi(1<<12), smi(1<<12)), "no memory"},
		{"no table", smi(1), "not a heap object"},
	} {
		if got, err := r.Entries(jsMap(c.table)); err == nil || !strings.Contains(err.Error(), c.err) {
			t.Errorf("%s: %d entries, %v, want %q", c.name, len(got), err, c.err)
		}
	}
	var wrong *TypeError
	if _, err := r.Entries(table); !errors.As(err, &wrong) {
		t.Errorf("a table is no map: %v", err)
	}
}

// codeImage has two pieces of code of 100 bytes each, 64 bytes apart; it returns where the first begins.
func codeImage() (m *image, stream, code Word) {
	m = &image{}
	codeClass, streamClass := m.class(187), m.class(192)
	m.pad()
	stream = m.Put(streamClass, 0, 0, 0)
	m.B = append(m.B, make([]byte, 128)...)
	code = m.Put(codeClass, 0xd1, 0xd5, 0, 0, Word(stream.address()+32), 12<<32, 100, 0)
	m.Set(stream, 1, code)
	m.pad()
	m.B = append(m.B, make([]byte, 8192)...)
	return m, stream, code
}

// pad goes on where instructions may begin.
func (m *image) pad() {
	for len(m.B)%32 != 0 {
		m.Put(0xcccccccccccccccc)
	}
}

func TestFindCode(t *testing.T) {
	m, stream, code := codeImage()
	start := stream.address() + 32
	for _, c := range []struct {
		pc    uint64
		found bool
	}{{start, true}, {start + 50, true}, {start + 100, true}, {start + 101, false}, {start - 1, false},
		{start + 6000, false}, {0, false}, {31, false}, {1 << 63, false}, {1<<64 - 1, false}} {
		m.Reads = 0
		r := NewReader(m, testLayout())
		got, err := r.FindCode(c.pc, new(Word))
		if (err == nil) != c.found {
			t.Errorf("pc %+d: %+v, %v", int64(c.pc-start), got, err)
			continue
		}
		if c.found && (got.Start != start || got.End != start+100 || got.Kind != 12 || got.object != code ||
			!r.Same(got)) {
			t.Errorf("pc %+d: %+v", int64(c.pc-start), got)
		}
		if m.Reads > 600 {
			t.Errorf("pc 0x%x: %d reads", c.pc, m.Reads)
		}
	}
	for _, size := range []Word{0, maxCode + 1, 1<<32 - 1} {
		m.Set(code, 7, size)
		if c, err := NewReader(m, testLayout()).FindCode(start, new(Word)); err == nil {
			t.Errorf("%d bytes of instructions: %+v", size, c)
		}
	}
}

// Each isolate may have hidden classes of its own.
func TestFindCodeOfTwoIsolates(t *testing.T) {
	m, stream, code := codeImage()
	class := m.class(192)
	m.pad()
	second := m.Put(class, code)
	m.B = append(m.B, make([]byte, 128)...)
	r := NewReader(m, testLayout())
	headers := map[Word]*Word{stream: new(Word), second: new(Word)}
	for _, s := range []Word{stream, second, stream} {
		start := s.address() + 32
		m.Set(code, 5, Word(start))
		if c, err := r.FindCode(start+50, headers[s]); err != nil || c.Start != start {
			t.Errorf("code at 0x%x: %+v, %v", start, c, err)
		}
	}
	if *headers[second] != class || *headers[stream] == class {
		t.Errorf("headers %#x and %#x", *headers[stream], *headers[second])
	}
}

// Memory without any code is not searched without end.
func TestFindCodeGivesUp(t *testing.T) {
	m := &heaptest.Ring{B: make([]byte, 4096)}
	c, err := NewReader(m, testLayout()).FindCode(1<<40, new(Word))
	if !errors.Is(err, ErrNotFound) || m.Bytes > 3<<20 {
		t.Errorf("%+v, %v after %d bytes", c, err, m.Bytes)
	}
}

func TestSame(t *testing.T) {
	for _, word := range []int{1, 2, 5, 7} { // deoptimisation data, positions, start, size
		m, stream, code := codeImage()
		r := NewReader(m, testLayout())
		c, err := r.FindCode(stream.address()+40, new(Word))
		if err != nil || !r.Same(c) {
			t.Fatal(err)
		}
		m.Set(code, word, 96)
		if r.Same(c) {
			t.Errorf("word %d has changed", word)
		}
	}
	m, stream, code := codeImage()
	r := NewReader(m, testLayout())
	c, err := r.FindCode(stream.address()+40, new(Word))
	if err != nil {
		t.Fatal(err)
	}
	m.Set(stream, 1, code+8)
	if r.Same(c) {
		t.Error("the stream is another code's now")
	}
}

func TestShapeNeedsItsFields(t *testing.T) {
	l := testLayout()
	l.Values[layout.DetailsLocationBit] = layout.Value{}
	if _, err := NewReader(&image{}, l).Shape(0x100001); err == nil ||
		!strings.Contains(err.Error(), layout.DetailsLocationBit.String()) {
		t.Errorf("error %v", err)
	}
}

// TestFindCodeAmongHeaders: a process may write what looks like headers all over its code.
func TestFindCodeAmongHeaders(t *testing.T) {
	m, stream, code := codeImage()
	class, _ := NewReader(m, testLayout()).WordAt(stream.address())
	m.pad()
	for range 4096 {
		m.Put(class, code, 0, 0)
	}
	m.Reads = 0
	header := class
	_, err := NewReader(m, testLayout()).FindCode(heaptest.Base+uint64(len(m.B))-8, &header)
	if !errors.Is(err, ErrNotFound) || m.Reads > 8*maxHeaders {
		t.Errorf("%v after %d reads", err, m.Reads)
	}
}
