package optimized

import (
	"encoding/binary"
	"encoding/hex"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hotspan/hotspan/v8/heap"
	"github.com/hotspan/hotspan/v8/heap/heaptest"
	"github.com/hotspan/hotspan/v8/layout"
)

// printedTable is the memory behind the instructions of a function in Node 24.21.0; printedEntries is what V8 printed
// of it: "Safepoints (stack slots = 13, entries = 6, byte size = 52, tagged slots = 0)".
const printedTable = "0d000000 06000000 a1000000 00000000 2800093a0300 b1000a3e0300 99010b420300 73020c460303 " +
	"ba020d4a0303 0a0300000001"

var printedEntries = []safepoint{{0x28, 0x339, 8}, {0xb1, 0x33d, 9}, {0x199, 0x341, 10}, {0x273, 0x345, 11},
	{0x2ba, 0x349, 12}, {0x30a, -1, -1}}

func unhex(t *testing.T, s string) []byte {
	t.Helper()
	b, err := hex.DecodeString(strings.ReplaceAll(s, " ", ""))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestSafepoints(t *testing.T) {
	m := &heaptest.Image[heap.Word]{B: append(make([]byte, 848), unhex(t, printedTable)...)}
	code := &heap.Code{Start: heaptest.Base, End: heaptest.Base + 848}
	got, err := safepoints(heap.NewReader(m, deoptLayout()), code, false)
	if diff := cmp.Diff(printedEntries, got, cmp.AllowUnexported(safepoint{})); diff != "" || err != nil {
		t.Errorf("%v\n%s", err, diff)
	}
}

func TestSafepointFormats(t *testing.T) {
	for _, c := range []struct {
		config   uint32
		turbofan bool
		entries  string
		want     []safepoint
	}{
		// one byte of offset, no deoptimisation
		{0x10, false, "05 00 09 01", []safepoint{{5, -1, -1}, {9, -1, -1}}},
		// one byte of each, one of registers
		{0x93, false, "05 01 29 00 ff 09 00 00 02 ff", []safepoint{{5, 40, 0}, {9, -1, -1}}},
		// behind the end of the code
		{0x131, false, "050405 0201 000000 07", nil},
		// three bytes, and two
		{0x131, false, "040302 0201 030303 07", []safepoint{{0x020304, 0x030302, 0x0102 - 1}}},
		// not in order; cut off
		{0x10, false, "05 00 05 00", nil}, {0x10, false, "05 00 04 00", nil}, {0x93, false, "05 01 ff ff", nil},
		// of TurboFan, with one byte of tagged slots, and with 2 MiB
		{0x4a1, true, "2800 09 3a03 b100 0a 3e03", []safepoint{{0x28, 0x339, 8}, {0xb1, 0x33d, 9}}},
		{0x82000010, true, "05 09", []safepoint{{5, -1, -1}, {9, -1, -1}}},
	} {
		f, err := newSafepointFormat(c.config, c.turbofan)
		if err != nil {
			t.Fatalf("0x%x: %v", c.config, err)
		}
		got, err := f.decode(unhex(t, c.entries), 0x040000)
		if len(got) == 0 {
			got = nil
		}
		if diff := cmp.Diff(c.want, got, cmp.AllowUnexported(safepoint{})); diff != "" {
			t.Errorf("0x%x: %v\n%s", c.config, err, diff)
		}
	}
	for _, config := range []uint32{0x50, 0x281, 0xb, 0x400, 1 << 31} {
		if f, err := newSafepointFormat(config, false); err == nil {
			t.Errorf("0x%x: %+v, want an error", config, f)
		}
	}
}

func TestHostileSafepoints(t *testing.T) {
	for name, s := range map[string]string{
		"no table":         "",
		"header cut off":   "0d000000 06000000 a1000000",
		"entries cut off":  "0d000000 06000000 a1000000 00000000 28000900",
		"-1 entries":       "0d000000 ffffffff a1000000 00000000",
		"too many entries": "0d000000 01800000 10000000 00000000",
		"odd format":       "0d000000 01000000 a1040000 00000000 280000000000",
	} {
		m := &heaptest.Image[heap.Word]{B: append(make([]byte, 848), unhex(t, s)...)}
		code := &heap.Code{Start: heaptest.Base, End: heaptest.Base + 848}
		got, err := safepoints(heap.NewReader(m, deoptLayout()), code, false)
		if err == nil {
			t.Errorf("%s: %v, want an error", name, got)
		}
	}
	l := deoptLayout()
	l.Values[layout.SafepointLength].N = 12
	if _, err := safepoints(heap.NewReader(&heaptest.Image[heap.Word]{B: make([]byte, 900)}, l),
		&heap.Code{Start: heaptest.Base, End: heaptest.Base}, false); err == nil {
		t.Error("a format behind the header is read")
	}
}

func FuzzSafepoints(f *testing.F) {
	f.Add(uint32(0xa1), []byte("\x28\x00\x09\x3a\x03\x00\xb1\x00\x0a\x3e\x03\x00"), 848)
	f.Add(uint32(0x10), []byte{5, 0, 9, 1}, 20)
	f.Fuzz(func(t *testing.T, config uint32, b []byte, code int) {
		format, err := newSafepointFormat(config, false)
		if err != nil {
			return
		}
		got, err := format.decode(b, code)
		for i, p := range got {
			if err != nil || p.pc > code || p.trampoline > code || p.trampoline < -1 || p.deopt < -1 || i > 0 &&
				p.pc <= got[i-1].pc {
				t.Errorf("entry %d: %+v, %v", i, p, err)
			}
		}
	})
}

// deoptimised is code with everything that belongs to it.
type deoptimised struct {
	*image
	code     *heap.Code
	data     heap.Word
	own      heap.Word // its SharedFunctionInfo
	inlined  heap.Word
	builtin  heap.Word
	literals heap.Word
}

// deoptImage has a call at 16 and 48 in basis and repeating, at 32 in viaBuiltin, at 40 without deoptimisation point.
func deoptImage(t *testing.T) *deoptimised {
	m := &deoptimised{image: &image{}}
	sfi := m.class(0x11a)
	m.own, m.inlined, m.builtin = m.Put(sfi), m.Put(sfi), m.Put(sfi)
	forEach := m.Put(m.class(0x855), 0, 0, 0, m.builtin)
	wrapper := m.Put(m.class(5), m.inlined)
	m.literals = m.Put(0, smi(10), m.inlined, 3, wrapper, m.own, 0, 0, 0, 0, 0, forEach+2)
	b := slices.Concat(basis, repeating, viaBuiltin)
	array := m.Put(0, smi(len(b)))
	m.B = append(m.B, b...)
	m.B = append(m.B, make([]byte, 8-len(m.B)%8)...)
	data := []heap.Word{0, smi(12 + 3*3), array, 0, 0, m.literals, 0, 0, 0, 0, 0, 0, 0, 0}
	m.data = m.Put(append(data, 0, smi(0), 0, 0, smi(23), 0, 0, smi(35), 0)...)
	m.code = &heap.Code{Start: heaptest.Base + uint64(len(m.B)), Kind: 11}
	m.code.End = m.code.Start + 64
	m.B = append(m.B, make([]byte, 64)...)
	m.B = append(m.B, unhex(t, "00000000 04000000 91000000 00000000 10013700 20033b00 28000000 30023f00")...)
	return m
}

func TestSites(t *testing.T) {
	m := deoptImage(t)
	sites, err := sites(heap.NewReader(m, deoptLayout()), m.code, m.data, m.own)
	if err != nil {
		t.Fatal(err)
	}
	o := &Tables{Function: m.own, sites: sites}
	twice := []Frame{{m.inlined, 300}, {m.own, 14}}
	again := []Frame{{m.inlined, 7}, {m.own, 14}}
	builtin := []Frame{{m.inlined, 2}, {m.builtin, -1}, {m.own, 14}}
	var offsets []int
	for _, s := range o.sites {
		offsets = append(offsets, s.pc)
	}
	if diff := cmp.Diff([]int{16, 32, 48, 54, 58, 62}, offsets); diff != "" {
		t.Error(diff)
	}
	for offset, want := range map[int][]Frame{
		-1: nil, 15: nil, 16: twice, 17: nil, 32: builtin, 40: nil, 48: again, 53: nil, 54: twice, 58: builtin,
		62: again, 1 << 40: nil,
	} {
		if diff := cmp.Diff(want, o.DeoptFrames(offset)); diff != "" {
			t.Errorf("DeoptFrames(%d): %s", offset, diff)
		}
	}
	callers := o.DeoptFunctions()
	slices.Sort(callers)
	if diff := cmp.Diff([]heap.Word{m.own, m.inlined, m.builtin}, callers); diff != "" {
		t.Error(diff)
	}
	if o := (&Tables{Function: m.own}); len(o.DeoptFunctions()) > 0 {
		t.Error("code without sites has callers")
	}
}

func TestExitFrames(t *testing.T) {
	m := deoptImage(t)
	o := &Tables{Function: m.own, deoptExits: 32, exitSize: 4}
	o.exits = exits(heap.NewReader(m, deoptLayout()), m.data, m.own)
	for offset, want := range map[int][]Frame{
		28: nil, 32: {{m.inlined, 300}, {m.own, 14}}, 33: nil, 36: {{m.inlined, 7}, {m.own, 14}},
		40: {{m.inlined, 2}, {m.builtin, -1}, {m.own, 14}}, 44: nil,
	} {
		got, is := o.exitFrames(offset)
		if diff := cmp.Diff(want, got); diff != "" || is != (want != nil) {
			t.Errorf("%d: %v, %s", offset, is, diff)
		}
	}
	if len(o.DeoptFunctions()) != 3 {
		t.Errorf("functions: %v", o.DeoptFunctions())
	}
	m.Set(m.data, 18, smi(-1))
	o.exits = exits(heap.NewReader(m, deoptLayout()), m.data, m.own)
	if got, is := o.exitFrames(36); got != nil || !is {
		t.Errorf("without a translation: %v, %v", got, is)
	}
	if _, is := (&Tables{}).exitFrames(0); is {
		t.Error("code without exits has one")
	}
}

func TestInlinedIn(t *testing.T) {
	o := &Tables{Function: 1, inlined: []inlinedCall{
		{heap.Position{Source: 10, Inlining: -1}, 2}, {heap.Position{Source: 20, Inlining: 0}, 3},
		{heap.Position{Source: 30, Inlining: -1}, 2}, {heap.Position{Source: 40, Inlining: 2}, 1},
	}}
	for function, want := range map[heap.Word][]int{1: {10, 30}, 2: {20, 40}, 3: nil} {
		if diff := cmp.Diff(want, o.inlinedIn(function)); diff != "" {
			t.Errorf("%d: %s", function, diff)
		}
	}
}

// What contradicts itself is left out, and nothing else is.
func TestContradictingSites(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(m *deoptimised)
		want   []int // offsets of calls that are left
	}{
		{"as it is", func(m *deoptimised) {}, []int{16, 32, 48, 54, 58, 62}},
		{"other function", func(m *deoptimised) { m.own = m.inlined }, nil},
		{"own function collected", func(m *deoptimised) { m.Set(m.literals, 5, 3) }, nil},
		{"inlined function collected", func(m *deoptimised) { m.Set(m.literals, 2, 3) }, []int{32, 58}},
		{"a literal that is no function", func(m *deoptimised) { m.Set(m.literals, 2, smi(4)) }, []int{32, 58}},
		{"builtin collected", func(m *deoptimised) { m.Set(m.literals, 11, 3) }, []int{16, 32, 48, 54, 58, 62}},
		{"no literal that far", func(m *deoptimised) { m.Set(m.literals, 1, smi(3)) }, nil},
		{"translation index is an object", func(m *deoptimised) { m.Set(m.data, 15, m.own) }, []int{32, 48, 58, 62}},
		{"translation index below 0", func(m *deoptimised) { m.Set(m.data, 15, smi(-1)) }, []int{32, 48, 58, 62}},
		{"translation of another place", func(m *deoptimised) { m.Set(m.data, 15, smi(4)) }, []int{32, 48, 58, 62}},
		{"two points", func(m *deoptimised) { m.Set(m.data, 1, smi(12+2*3)) }, []int{16, 48, 54, 62}},
	} {
		m := deoptImage(t)
		c.change(m)
		sites, err := sites(heap.NewReader(m, deoptLayout()), m.code, m.data, m.own)
		if err != nil && len(sites) > 0 {
			t.Errorf("%s: %v", c.name, err)
		}
		var got []int
		for _, s := range sites {
			got = append(got, s.pc)
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s: %v\n%s", c.name, err, diff)
		}
	}
}

// The layout is no more to be believed than the memory.
func TestSitesOfAHostileLayout(t *testing.T) {
	for f := range layout.NumFields {
		for _, v := range []layout.Value{{}, {State: layout.Absent}, {N: -1 << 63, State: layout.Known},
			{N: 1, State: layout.Known},
			{N: 63, State: layout.Known}, {N: 1<<63 - 1, State: layout.Known}} {
			m, _, l := exitImage(t)
			l.Values[f] = v
			r := heap.NewReader(m, l)
			if c, err := r.Code(m.object); err == nil {
				Read(r, c)
			}
			o := &Tables{Function: m.own}
			o.sites, _ = sites(r, m.code, m.data, m.own)
			o.deoptExits, o.exitSize, o.exits = 32, 4, exits(r, m.data, m.own)
			o.DeoptFunctions()
			o.exitFrames(40)
		}
	}
}

// FuzzSites reads memory that is changed anywhere.
func FuzzSites(f *testing.F) {
	f.Add(uint16(0), uint64(0), uint8(0))
	f.Fuzz(func(t *testing.T, at uint16, word uint64, operand uint8) {
		m := deoptImage(t)
		i := int(at) % (len(m.B) - 8)
		binary.LittleEndian.PutUint64(m.B[i:], binary.LittleEndian.Uint64(m.B[i:])^word)
		l := deoptLayout()
		l.TranslationOperands = slices.Clone(operands13)
		l.TranslationOperands[int(operand)%len(operands13)]++
		sites, _ := sites(heap.NewReader(m, l), m.code, m.data, m.own)
		o := &Tables{Function: m.own, sites: sites}
		for _, offset := range []int{-1, 16, 32, 48, 54, 1 << 40} {
			if w := o.DeoptFrames(offset); w != nil && w[len(w)-1].Function != m.own {
				t.Errorf("offset %d: %v does not end in the code's own function", offset, w)
			}
		}
		for _, frames := range exits(heap.NewReader(m, l), m.data, m.own) {
			if frames != nil && frames[len(frames)-1].Function != m.own {
				t.Errorf("%v does not end in the code's own function", frames)
			}
		}
		o.DeoptFunctions()
	})
}
