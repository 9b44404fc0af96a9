package optimized

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hotspan/hotspan/v8/layout"
)

// operands13 are the operands of V8 13.6's opcodes, by src/deoptimizer/translation-opcode.h.
var operands13 = slices.Concat([]byte{
	6, 4, 3, 3, // INTERPRETED_FRAME_WITH_RETURN and WITHOUT, JAVASCRIPT_BUILTIN_CONTINUATION_FRAME and WITH_CATCH
	// CONSTRUCT_CREATE_STUB, CONSTRUCT_INVOKE_STUB, BUILTIN_CONTINUATION, three of Wasm, EXTRA_ARGUMENTS
	2, 1, 3, 4, 3, 3, 3,
	1, 0, 0, 3, 3, // ARGUMENTS_ELEMENTS and LENGTH, REST_LENGTH, BEGIN_WITHOUT_FEEDBACK and WITH
	1, 1, 1, 0, // BOOL_REGISTER and STACK_SLOT, CAPTURED_OBJECT, STRING_CONCAT
	// …, OPTIMIZED_OUT, LITERAL, …, UPDATE_FEEDBACK, MATCH_PREVIOUS
}, slices.Repeat([]byte{1}, 17), []byte{0, 1, 1, 1, 1, 1, 2, 1})

// The opcodes of V8 13.6 that the tests use.
const (
	opFrame, opReturn, opBuiltin, opStub, opExtra = 1, 0, 2, 5, 10
	opBegin, opFeedback                           = 14, 15
	opLost, opLiteral, opRegister                 = 37, 38, 39
	opMatch, opCount                              = 44, 45
)

func deoptLayout() *layout.Layout {
	l := testLayout()
	for f, n := range map[layout.Field]int64{
		layout.DeoptTranslation: 0, layout.DeoptEntries: 12, layout.DeoptEntrySize: 3, layout.DeoptEntryTranslation: 1,
		layout.SafepointLength: 4, layout.SafepointHeader: 16, layout.TranslationJSFrames: 4,
		layout.TranslationBegin: 14, layout.TranslationLiteral: 38, layout.TypeJSFunctionFirst: 0x850,
		layout.TypeJSFunctionLast: 0x85f,
	} {
		l.Values[f] = layout.Value{N: n, State: layout.Known}
	}
	l.TranslationOperands = operands13
	return l
}

// Numbers with a sign are twice as large as they look, plus one if they are negative; distances, counts of repetitions
// and registers have none. (src/base/vlq.h, src/deoptimizer/frame-translation-builder.cc)
var (
	// Two frames: literal 3 at 14 and literal 0 at 300.
	basis = []byte{
		opBegin, 0, 2 * 2, 2 * 2,
		opFrame, 28, 6, 0, 8, opLiteral, 8, opRegister, 1, opLost,
		opFrame, 0xd8, 0x04, 0, 2, 6, opLost, opRegister, 2,
	}
	// The same but for the inner frame's offset, 7: four operations as before, a frame, two as before.
	repeating = []byte{opBegin, 23, 4, 4, opCount + 4, opFrame, 14, 0, 2, 6, opMatch, 2}
	// All as before up to a third frame, at its function's entry.
	third = []byte{opFeedback, 35, 6, 6, opCount + 7, opReturn, 3, 2, 0, 0, 0, 2}
	// A builtin with an unsuitable literal of its own, whose first value is literal 9, called by literal 3, with frames
	// between them that are no JavaScript.
	viaBuiltin = []byte{opBegin, 0, 10, 6,
		opFrame, 28, 6, 0, 8, opLiteral, 8, opStub, 2, opBuiltin, 0x88, 0x11, 6, 2, opLiteral, 18, opRegister, 1,
		opExtra, 6, 4, 2, opFrame, 4, 4, 0, 0,
	}
	unknownBuiltin = []byte{opBegin, 0, 4, 4, opFrame, 28, 6, 0, 8, opBuiltin, 2, 6, 2, opRegister, 18}
)

func TestReadTranslation(t *testing.T) {
	all := slices.Concat(basis, repeating, third, viaBuiltin, unknownBuiltin)
	for _, c := range []struct {
		name string
		at   int
		want []translated
	}{
		{"basis", 0, []translated{{3, 14, false}, {0, 300, false}}},
		{"repeating", 23, []translated{{3, 14, false}, {0, 7, false}}},
		{"third", 35, []translated{{3, 14, false}, {0, 300, false}, {1, -1, false}}},
		{"builtin", 47, []translated{{3, 14, false}, {9, -1, true}, {2, 2, false}}},
		{"unknown builtin", 47 + len(viaBuiltin), []translated{{3, 14, false}, {-1, -1, true}}},
	} {
		tr, err := newTranslations(all, deoptLayout())
		if err != nil {
			t.Fatal(err)
		}
		got, err := tr.read(c.at)
		if diff := cmp.Diff(c.want, got, cmp.AllowUnexported(translated{})); diff != "" || err != nil {
			t.Errorf("%s: %v\n%s", c.name, err, diff)
		}
	}
}

func TestHostileTranslations(t *testing.T) {
	loop := []byte{opBegin, 0, 2, 2}
	for range 200 {
		loop = append(loop, opLost)
	}
	for name, b := range map[string][]byte{
		"empty":                    nil,
		"no beginning":             basis[4:],
		"only a beginning":         basis[:4],
		"cut in a frame":           basis[:15],
		"no such earlier one":      {opBegin, 1, 2, 2, opCount + 1},
		"repeats nothing":          {opBegin, 0, 2, 2, opCount},
		"repeats without earlier":  {opBegin, 0, 2, 2, opMatch, 5},
		"repeats without a number": {opBegin, 0, 2, 2, opMatch, 0x80},
		"too many frames":          {opBegin, 0, 2, 0x82, 0x04},
		"fewer than no frames":     {opBegin, 0, 2, 3},
		"negative literal":         {opBegin, 0, 2, 2, opFrame, 2, 3, 0, 0},
		"offset below the entry":   {opBegin, 0, 2, 2, opFrame, 5, 2, 0, 0},
		"number of eleven bytes":   append([]byte{opBegin, 0, 2, 2, opFrame}, slices.Repeat([]byte{0x80}, 12)...),
		"no frame at all":          loop,
	} {
		tr, err := newTranslations(b, deoptLayout())
		if err != nil {
			t.Fatal(err)
		}
		if got, err := tr.read(0); err == nil {
			t.Errorf("%s: %v, want an error", name, got)
		}
	}
	tr, _ := newTranslations(basis, deoptLayout())
	for _, at := range []int{-1, -1 << 62, len(basis), 1 << 62} {
		if got, err := tr.read(at); err == nil {
			t.Errorf("at %d: %v, want an error", at, got)
		}
	}
	for tr.steps > 0 {
		if _, err := tr.read(0); err != nil && tr.steps > 0 {
			t.Fatalf("%v, with %d steps left", err, tr.steps)
		}
	}
	if got, err := tr.read(0); err == nil {
		t.Errorf("after all steps: %v", got)
	}
}

// An earlier translation that refers to others is none that V8 writes.
func TestTranslationThatRefersToARepetition(t *testing.T) {
	b := slices.Concat(basis, repeating, []byte{opBegin, 12, 4, 4, opCount + 6})
	tr, err := newTranslations(b, deoptLayout())
	if err != nil {
		t.Fatal(err)
	}
	if got, err := tr.read(35); err == nil {
		t.Errorf("%v, want an error", got)
	}
}

func TestUnknownOpcodesAreRefused(t *testing.T) {
	for name, change := range map[string]func(l *layout.Layout){
		"no table":          func(l *layout.Layout) { l.TranslationOperands = nil },
		"256 opcodes":       func(l *layout.Layout) { l.TranslationOperands = make([]byte, 256) },
		"one more in front": func(l *layout.Layout) { l.TranslationOperands = append([]byte{1}, operands13...) },
		"one more later": func(l *layout.Layout) {
			l.TranslationOperands = slices.Insert(slices.Clone(operands13),
				20, 1)
		},
		"no frames":          func(l *layout.Layout) { l.Values[layout.TranslationJSFrames].State = layout.Absent },
		"beginning unknown":  func(l *layout.Layout) { l.Values[layout.TranslationBegin].State = layout.Unresolved },
		"literal past table": func(l *layout.Layout) { l.Values[layout.TranslationLiteral].N = 44 },
		"absurd":             func(l *layout.Layout) { l.Values[layout.TranslationBegin].N = 1 << 62 },
	} {
		l := deoptLayout()
		change(l)
		if _, err := newTranslations(basis, l); err == nil || !strings.Contains(err.Error(), "translation opcode") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func FuzzTranslations(f *testing.F) {
	all := slices.Concat(basis, repeating, third, viaBuiltin, unknownBuiltin)
	for _, at := range []int{0, 23, 35, 47} {
		f.Add(all, at)
	}
	f.Add([]byte{opBegin, 0, 2, 0x80, 4, opMatch, 0xff, 0x7f}, 0)
	f.Fuzz(func(t *testing.T, b []byte, at int) {
		tr, err := newTranslations(b, deoptLayout())
		if err != nil {
			t.Fatal(err)
		}
		got, _ := tr.read(at)
		if len(got) > maxTranslatedFrames {
			t.Errorf("%d frames", len(got))
		}
		for _, g := range got {
			if g.literal < -1 || g.literal < 0 && !g.builtin || g.offset < -1 || g.offset > maxBytecode {
				t.Errorf("%+v", g)
			}
		}
	})
}
