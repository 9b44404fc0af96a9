package heap

import (
	"encoding/binary"
	"testing"

	"github.com/hotspan/hotspan/test/draw"
	"github.com/hotspan/hotspan/v8/heap/heaptest"
	"github.com/hotspan/hotspan/v8/layout"
)

// Limits of what one call may cost on hostile memory. Functions reads two names, Shape one for each property.
const (
	mostReads  = 3 << 19
	mostAtOnce = 2 * maxSource      // bytes of one read: a text of two-byte characters
	mostBytes  = mostAtOnce + 1<<20 // and what leads to it
)

// readAll reads the object at w as everything that a Reader knows.
func readAll(r *Reader, w Word) {
	r.String(w, maxName)
	r.Key(w)
	r.Forwarded(w)
	if f, err := r.Function(w); err == nil && f.Script != 0 {
		r.Script(f.Script)
	}
	if s, err := r.Script(w); err == nil {
		r.Position(s, 5)
	}
	r.SourcePart(w, 70, 70)
	r.MapURL(w, maxURL)
	if b, err := r.Bytecode(w); err == nil {
		b.Offset(70)
		b.Positions.At(3)
	}
	r.BytecodeOf(w)
	r.Shared(w)
	r.Entries(w)
	r.NamedEntries(w)
	r.Dictionary(w)
	r.Element(w, 3)
	r.Boolean(w)
}

// readCollection reads a Map as far as a hundred entries, deleted ones not counted.
func readCollection(r *Reader, w Word) {
	each := func(w Word) (*Collection, error) { return r.Iterator(w, true) }
	for _, read := range []func(Word) (*Collection, error){r.Map, r.Set, each} {
		if c, err := read(w); err == nil {
			seen := 0
			r.Each(c, func(Word, Word) bool { seen++; return seen < 100 })
		}
	}
}

// readOwnClass reads the object at w as one of JavaScript's own classes.
func readOwnClass(r *Reader, w Word) {
	readCollection(r, w)
	r.Buffer(w)
	r.View(w)
	r.TypedData(w)
	r.ElementsKind(w)
	r.Intercepted(w)
	r.BigInt(w)
	r.Sparse(w)
	if m, err := r.MappedArguments(w); err == nil {
		r.At(&m, 0)
	}
	r.Global(w)
	r.CallSites(w)
	r.OwnName(w)
	r.FunctionKind(w)
	r.FunctionText(w, func(int) bool { return true })
}

// readCodeAt reads code with all its tables.
func readCodeAt(r *Reader, pc uint64) {
	c, err := r.FindCode(pc, new(Word))
	if err != nil && r.codeLimits() == nil {
		c, err = r.readCode(Word(pc&^3 | 1))
	}
	if err != nil {
		return
	}
	r.Same(c)
	r.Instructions(c, 192)
	r.CodePositions(c)
	if b, err := r.Baseline(c); err == nil {
		r.Offset(b, 40)
		r.Offset(b, 1<<30)
	}
}

// attempts are the calls that hostile memory is given to.
var attempts = []struct {
	name string
	do   func(r *Reader, w Word)
}{
	{"objects", readAll},
	{"shape", func(r *Reader, w Word) {
		if s, err := r.Shape(w); err == nil && len(s.Properties) > maxProperties {
			panic("more properties than V8 has")
		}
	}},
	{"classes", readOwnClass},
	{"scope", func(r *Reader, w Word) { r.Scope(w) }},
	{"named", func(r *Reader, w Word) { r.Named(w, "#name") }},
	{"code", func(r *Reader, w Word) { readCodeAt(r, uint64(w)) }},
	{"regexp", func(r *Reader, w Word) { r.RegexpSource(w, &Code{object: w}, 100) }},
}

func attack(t *testing.T, m *heaptest.Ring, l *layout.Layout, w Word) {
	t.Helper()
	for _, a := range attempts {
		m.Reads, m.Bytes, m.Most = 0, 0, 0
		a.do(NewReader(m, l), w)
		if m.Reads > mostReads || m.Bytes > mostBytes || m.Most > mostAtOnce {
			t.Fatalf("%s at 0x%x: %d reads, %d bytes, %d of them at once", a.name, uint64(w), m.Reads, m.Bytes, m.Most)
		}
	}
}

// seeds are memories of one kind of object each, in a shape that leads back to itself.
func seeds() [][]byte {
	words := func(w ...uint64) []byte {
		var b []byte
		for _, x := range w {
			b = binary.LittleEndian.AppendUint64(b, x)
		}
		return b
	}
	const self = 0x10001
	of := func(instanceType uint64, rest ...uint64) []byte {
		b := words(append([]uint64{self, instanceType << 32}, rest...)...)
		return append(b, make([]byte, 128-len(b))...) // 128 bytes divide self: the object is its own class
	}
	all := [][]byte{nil, {0}, words(self), words(self + 2), make([]byte, 4096)}
	for typ := range uint64(16) { // strings of every representation, their own parts; the type is the length too
		all = append(all, of(typ, self, self), of(typ, self, 0), of(typ|0x7fffff00<<0, self, self))
	}
	for _, typ := range []uint64{0x110, 0x11a, 167, 0x118, 186, 187, 192, 0x840, 128, 188} {
		all = append(all, of(typ, self, self, self, self),
			of(typ, 1023<<10|self, self, self, self, self, self, 4096<<32),
			of(typ, 7<<32, 200<<32, 300<<32, 0x7fffffff<<32, 1<<63, self, self))
	}
	return all
}

func FuzzHostileMemory(f *testing.F) {
	for _, b := range seeds() {
		f.Add(b, uint64(0x10001), false)
	}
	f.Fuzz(func(t *testing.T, b []byte, w uint64, unsigned bool) {
		l := testLayout()
		if unsigned {
			l.Values[layout.PositionsUnsigned].N = 1
		}
		attack(t, &heaptest.Ring{B: b}, l, Word(w))
	})
}

func FuzzDecodePositions(f *testing.F) {
	f.Add(signedTable, false)
	f.Add(unsignedTable, true)
	f.Add([]byte{0x80}, false)
	f.Fuzz(func(t *testing.T, b []byte, unsigned bool) {
		p, _ := decodePositions(b, unsigned)
		if len(p) > len(b)/2 {
			t.Fatalf("%d entries of %d bytes", len(p), len(b))
		}
		for i, e := range p {
			if e.Code < -1 || e.Source < -1 || e.Inlining < -1 || i > 0 && e.Code < p[i-1].Code {
				t.Fatalf("entry %d: %+v", i, e)
			}
		}
		p.At(len(b))
	})
}

// A layout comes from a binary that the target chose. No number in it may end the profiler.
func TestHostileLayout(t *testing.T) {
	bad := []layout.Value{{State: layout.Absent}, {N: -5, State: layout.Known}, {N: 3, State: layout.Known},
		{State: layout.Known},
		{N: 100, State: layout.Known}, {N: 1 << 31, State: layout.Known}, {N: 1<<63 - 1, State: layout.Known}}
	mems := [][]byte{bytesOfShape(), bytesOf(0x118), bytesOf(187), bytesOf(9), seeds()[3]}
	var fields []layout.Field
	for f := range layout.NumFields {
		fields = append(fields, f)
	}
	for _, f := range draw.Share(fields, 4, t.Name()) {
		for _, v := range bad {
			l := testLayout()
			l.Values[f] = v
			for _, b := range mems {
				func() {
					defer func() {
						if r := recover(); r != nil {
							t.Errorf("%v = %+v: %v", f, v, r)
						}
					}()
					attack(t, &heaptest.Ring{B: b}, l, 0x10001)
				}()
			}
		}
	}
}

// bytesOf is an object that is its own hidden class, whose words are itself.
func bytesOf(instanceType uint64) []byte {
	b := make([]byte, 128)
	for i := 0; i < len(b); i += 8 {
		binary.LittleEndian.PutUint64(b[i:], 0x10001)
	}
	binary.LittleEndian.PutUint64(b[8:], instanceType<<32|0x0404)
	return b
}

// bytesOfShape is a hidden class that is its own hidden class, with descriptors that are itself.
func bytesOfShape() []byte {
	b := bytesOf(0x110)
	binary.LittleEndian.PutUint64(b[16:], 20<<10)
	return b
}
