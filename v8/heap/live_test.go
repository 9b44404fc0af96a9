package heap

import (
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/google/go-cmp/cmp"

	"github.com/hotspan/hotspan/test/nodes"
	"github.com/hotspan/hotspan/test/nodes/live"
	"github.com/hotspan/hotspan/v8/layout"
	"github.com/hotspan/hotspan/v8/target"
)

// said is what testdata/heap.js says of its objects, with the addresses that V8's own printer gives.
type said struct {
	Strings map[string]struct {
		At, Type, Head string
		Length         int
	}
	Objects map[string]struct {
		At   string
		Want map[string]any
	}
	Dictionary struct{ At, List, Secret string }
	Map        struct {
		At, Symbol string
		Hash       uint32
		Want       map[string]any
	}
	Functions map[string]struct {
		At, Name, File   string
		ID, Line, Column int
		IsAsync          bool
		Start            int    // of the parameters
		Text             string // of the function
		URL              string // of the source map
	}
	Codes map[string]struct {
		At, Kind, Start string
		Size            uint64
	}
}

func TestLive(t *testing.T) {
	for _, v := range nodes.Drawn(nodes.Versions(), t.Name()) {
		t.Run(v.Version, func(t *testing.T) {
			r, says := startNode(t, v)
			t.Run("strings", func(t *testing.T) { checkStrings(t, r, says) })
			t.Run("objects", func(t *testing.T) { checkObjects(t, r, says) })
			t.Run("dictionary", func(t *testing.T) { checkDictionary(t, r, says) })
			t.Run("map", func(t *testing.T) { checkMap(t, r, says) })
			t.Run("functions", func(t *testing.T) { checkFunctions(t, r, says) })
			t.Run("codes", func(t *testing.T) { checkCodes(t, r, says, v.Maglev()) })
		})
	}
}

// startNode runs testdata/heap.js and reads what it says.
func startNode(t *testing.T, v nodes.Version) (*Reader, said) {
	t.Helper()
	p := live.Start(t, v.Version, live.Natives(v, "testdata/heap.js", live.Stdout)...)
	var says said
	p.Said(t, &says)
	return readerOf(t, p), says
}

// readerOf reads the heap of a running Node.js.
func readerOf(t *testing.T, p *live.Process) *Reader {
	t.Helper()
	f, err := os.Open(p.Node)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	l, err := layout.Read(f)
	if err != nil {
		t.Fatal(err)
	}
	return NewReader(target.Live{PID: p.PID}, l)
}

func word(t *testing.T, address string) Word {
	t.Helper()
	n, err := strconv.ParseUint(address, 0, 64)
	if err != nil {
		t.Fatal(err)
	}
	return Word(n)
}

func checkStrings(t *testing.T, r *Reader, says said) {
	types := ""
	for name, want := range says.Strings {
		types += want.Type + " "
		units := utf16.Encode([]rune(want.Head))
		text, err := r.Text(word(t, want.At), maxSource)
		if err != nil {
			t.Errorf("%s (%s): %v", name, want.Type, err)
			continue
		}
		if text.Len() != want.Length {
			t.Errorf("%s (%s): %d units, want %d", name, want.Type, text.Len(), want.Length)
		}
		got, err := r.String(word(t, want.At), len(units))
		if diff := cmp.Diff(want.Head, got); diff != "" || err != nil {
			t.Errorf("%s (%s): %v %s", name, want.Type, err, diff)
		}
	}
	for _, typ := range []string{"SEQ_ONE", "SEQ_TWO", "CONS_ONE", "CONS_TWO", "SLICED_ONE", "SLICED_TWO", "THIN_ONE",
		"EXTERNAL_ONE", "EXTERNAL_TWO", "INTERNALIZED_TWO"} {
		if !strings.Contains(" "+types, " "+typ+"_BYTE_STRING_TYPE") {
			t.Errorf("heap.js made no %s_BYTE_STRING, only %s", typ, types)
		}
	}
}

// value is a number or a string as JSON has it.
func value(r *Reader, w Word) any {
	if w.IsSmi() {
		return float64(w.Smi())
	}
	if s, err := r.String(w, maxName); err == nil {
		return s
	}
	return nil
}

func checkObjects(t *testing.T, r *Reader, says said) {
	for name, o := range says.Objects {
		for key, want := range o.Want {
			w, err := r.Named(word(t, o.At), key)
			if err != nil {
				t.Errorf("%s: %s: %v", name, key, err)
				continue
			}
			if diff := cmp.Diff(want, value(r, w)); diff != "" {
				t.Errorf("%s: %s: %s", name, key, diff)
			}
		}
		for _, key := range []string{"computed", "between", "nothing", "5"} {
			if w, err := r.Named(word(t, o.At), key); err == nil {
				t.Errorf("%s has no slot for %s, but 0x%x", name, key, uint64(w))
			}
		}
		_, class, err := r.Forwarded(word(t, o.At))
		if err != nil {
			t.Fatal(err)
		}
		s, err := r.Shape(class)
		if err != nil || s.Dictionary || s.Type != r.l.At(layout.TypeJSObject) || s.Own < len(o.Want) {
			t.Errorf("%s: %+v, %v", name, s, err)
		}
	}
	_, class, err := r.Forwarded(word(t, says.Dictionary.At))
	if err != nil {
		t.Fatal(err)
	}
	if s, err := r.Shape(class); err != nil || !s.Dictionary {
		t.Errorf("an object in dictionary mode: %+v, %v", s, err)
	}
}

func checkDictionary(t *testing.T, r *Reader, says said) {
	properties, err := r.Dictionary(word(t, says.Dictionary.At))
	if err != nil {
		t.Fatal(err)
	}
	got, registered := map[string]any{}, ""
	for _, p := range properties {
		got[p.Name] = value(r, p.Value)
		if p.Registered {
			registered += p.Name
		}
		if p.Symbol != (p.Name == "registered" || p.Name == "free") || p.Secret || p.Hash == 0 {
			t.Errorf("%+v", p)
		}
	}
	delete(got, "list")
	want := map[string]any{"b": 2.0, "c": 3.0, "registered": 7.0, "free": 8.0}
	if diff := cmp.Diff(want, got); diff != "" || registered != "registered" {
		t.Errorf("registered %q: %s", registered, diff)
	}
	if _, err := r.Dictionary(word(t, says.Map.At)); err == nil {
		t.Error("a Map has no dictionary")
	}
	list := word(t, says.Dictionary.List)
	zero, _ := r.Element(list, 0)
	if text, err := r.String(zero, 9); text != "zero" {
		t.Errorf("element 0 is %q, %v", text, err)
	}
	last, _ := r.Element(list, 2)
	if is, ok := r.Boolean(last); !is || !ok {
		t.Error("element 2 is not true")
	}
	if is, ok := r.Boolean(zero); is || ok {
		t.Error("a string is a boolean")
	}
	for _, i := range []int{-1, 3, 1 << 30} {
		if w, err := r.Element(list, i); err == nil {
			t.Errorf("element %d is 0x%x", i, uint64(w))
		}
	}
	_, class, _ := r.Forwarded(word(t, says.Dictionary.Secret))
	s, err := r.Shape(class)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range s.Properties {
		if p.Secret != (p.Name == "#secret") {
			t.Errorf("%+v", p)
		}
	}
}

func checkMap(t *testing.T, r *Reader, says said) {
	entries, err := r.Entries(word(t, says.Map.At))
	if err != nil {
		t.Fatal(err)
	}
	got, symbols := map[string]any{}, 0
	for _, e := range entries {
		name, symbol, err := r.Key(e.Key)
		if err != nil {
			continue // the mark of an entry that was deleted
		}
		if got[name] = value(r, e.Value); symbol {
			symbols++
		}
	}
	if diff := cmp.Diff(says.Map.Want, got); diff != "" || symbols != 35 {
		t.Errorf("%d symbols: %s", symbols, diff)
	}
	named, err := r.NamedEntries(word(t, says.Map.At))
	if err != nil || len(named) != len(got) {
		t.Errorf("%d names of %d, %v", len(named), len(got), err)
	}
	for _, n := range named {
		if n.Name == "key 9" && (n.Hash != says.Map.Hash || !n.Symbol || n.Registered || n.Secret) {
			t.Errorf("%+v, V8 prints hash %d", n, says.Map.Hash)
		}
	}
}

func checkFunctions(t *testing.T, r *Reader, says said) {
	literals := map[Identity]string{}
	for name, want := range says.Functions {
		sfi, err := r.Shared(word(t, want.At))
		if err != nil {
			t.Fatal(err)
		}
		f, err := r.Function(sfi)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if f.Name != want.Name || int(f.Identity.Script) != want.ID {
			t.Errorf("%s: %q of script %d, want %q of %d", name, f.Name, f.Identity.Script, want.Name, want.ID)
		}
		if other := literals[f.Identity]; other != "" {
			t.Errorf("%s and %s are both %+v", name, other, f.Identity)
		}
		literals[f.Identity] = name
		if want.IsAsync { // it was not called, and has no code
			continue
		}
		if f.Start != want.Start {
			t.Errorf("%s starts at %d, V8 says %d", name, f.Start, want.Start)
		}
		checkText(t, r, name, f, want.Text, want.URL)
		s, err := r.Script(f.Script)
		if err != nil || s.Name != either(want.File, "eval") || s.ID != want.ID {
			t.Errorf("%s: script %+v, %v, want %q", name, s, err, want.File)
			continue
		}
		checkPosition(t, r, name, sfi, s, [2]int{want.Line, want.Column})
	}
}

// checkText looks for the function's text around its start, and compares what its script says of a source map.
func checkText(t *testing.T, r *Reader, name string, f *Function, text, url string) {
	t.Helper()
	if at := strings.Index(text, "constructor("); at >= 0 {
		text = text[at:] // a class begins there
	}
	_, parameters, _ := strings.Cut(text, "(")
	part, err := r.SourcePart(f.Script, f.Start, 10)
	if want := "(" + parameters; err != nil || part.Len() != 10 || !strings.HasPrefix(want, part.String()) {
		t.Errorf("%s: %v, its text at %d is %q, want %.20q", name, err, f.Start, part, want)
	}
	got, err := r.MapURL(f.Script, 1<<20)
	if err != nil || (got == nil) != (url == "") || got != nil && got.String() != url {
		t.Errorf("%s: source map %v, %v, want %.50q", name, got, err, url)
	}
}

func either(a, b string) string {
	if a != "" {
		return a
	}
	return b
}

// checkPosition looks for the point that Error.stack gave among all that the function's table has.
func checkPosition(t *testing.T, r *Reader, name string, sfi Word, s *Script, want [2]int) {
	t.Helper()
	w, err := r.BytecodeOf(sfi)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	b, err := r.Bytecode(w)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	var all [][2]int
	for _, p := range b.Positions {
		line, column, err := r.Position(s, int(p.Source))
		if err != nil || int(p.Code) >= b.length || p.Inlining != -1 {
			t.Fatalf("%s: %+v: %v", name, p, err)
		}
		all = append(all, [2]int{line, column})
	}
	if !slices.Contains(all, want) {
		t.Errorf("%s: Error.stack says %v, the table has %v", name, want, all)
	}
}

func checkCodes(t *testing.T, r *Reader, says said, maglev bool) {
	kinds := map[string]layout.Field{"BASELINE": layout.KindBaseline, "MAGLEV": layout.KindMaglev,
		"TURBOFAN": layout.KindTurboFan, "TURBOFAN_JS": layout.KindTurboFan}
	for _, name := range []string{"baseline", "maglev", "turbofan"} {
		want := says.Codes[name]
		kind, ok := kinds[want.Kind]
		if !ok {
			if name == "maglev" && !maglev {
				continue
			}
			t.Fatalf("%s: code is %+v", name, want)
		}
		start := uint64(word(t, want.Start))
		for _, at := range []uint64{0, 1, want.Size / 2, want.Size} {
			c, err := r.FindCode(start+at, new(Word))
			if err != nil || c.Start != start || c.End != start+want.Size || c.Kind != r.l.At(kind) || !r.Same(c) {
				t.Errorf("%s +%d: %+v, %v, V8 prints %+v", name, at, c, err, want)
			}
		}
		sfi, err := r.Shared(word(t, want.At))
		if err != nil {
			t.Fatal(err)
		}
		c, err := r.FindCode(start, new(Word))
		if err != nil {
			t.Fatal(err)
		}
		if name == "baseline" {
			checkBaseline(t, r, c, sfi)
		}
	}
}

// checkBaseline walks all machine code: bytecodes come in order, and the table ends with the last of them.
func checkBaseline(t *testing.T, r *Reader, c *Code, sfi Word) {
	t.Helper()
	array, err := r.BytecodeOf(sfi)
	b, err2 := r.Baseline(c)
	if r.l.Has(layout.TypeBaselineData) { // there the code does not say
		b, err2 = r.BaselineOf(c, sfi)
	}
	if err != nil || err2 != nil || b.Array != array {
		t.Fatalf("%+v: %v, %v, want the bytecode 0x%x", b, err, err2, uint64(array))
	}
	last := -1
	for pc := 1; pc <= int(c.End-c.Start); pc++ {
		at, err := r.Offset(b, pc)
		if err != nil { // what follows the last bytecode is out of line
			break
		}
		if at < last {
			t.Fatalf("offset %d: bytecode %d after %d", pc, at, last)
		}
		last = at
	}
	if b.bytes[last] != b.bytes[len(b.bytes)-1] || last != len(b.bytes)-1 { // Return, of one byte
		t.Errorf("the last bytecode is at %d of %d", last, len(b.bytes))
	}
}
