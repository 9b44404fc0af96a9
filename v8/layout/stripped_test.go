package layout

import (
	"debug/elf"
	"encoding/binary"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hotspan/hotspan/test/nodes"
)

// patched is a file of which some bytes read differently.
type patched struct {
	io.ReaderAt
	at    int64
	bytes []byte
}

func (p patched) ReadAt(b []byte, off int64) (int, error) {
	n, err := p.ReaderAt.ReadAt(b, off)
	for i, c := range p.bytes {
		if k := p.at + int64(i) - off; k >= 0 && k < int64(n) {
			b[k] = c
		}
	}
	return n, err
}

// stripped hides .symtab: its section header gets type SHT_NULL.
func stripped(t *testing.T, r io.ReaderAt) io.ReaderAt {
	t.Helper()
	header := make([]byte, 64)
	if _, err := r.ReadAt(header, 0); err != nil {
		t.Fatal(err)
	}
	f, err := elf.NewFile(r)
	if err != nil {
		t.Fatal(err)
	}
	for i, s := range f.Sections {
		if s.Type == elf.SHT_SYMTAB {
			headers := int64(binary.LittleEndian.Uint64(header[40:])) // e_shoff
			return patched{r, headers + int64(i)*64 + 4, make([]byte, 4)}
		}
	}
	t.Fatal("no .symtab")
	return nil
}

// A stripped Node has lost no value of the layout and no table, and where its builtins are is found.
func TestStrippedBinaryKeepsAllValues(t *testing.T) {
	for _, v := range nodes.Versions() {
		whole, f := readNode(t, v.Version)
		l, err := Read(stripped(t, f))
		if err != nil {
			t.Fatal(err)
		}
		if l.V8 != whole.V8 || l.Node != whole.Node || l.Node != v.Version {
			t.Errorf("node %s: versions %v and %q by texts, %v and %q by variables", v.Version, l.V8, l.Node, whole.V8,
				whole.Node)
		}
		for f := range NumFields {
			got, want := l.Values[f], whole.Values[f]
			if got.N != want.N || got.State != want.State {
				t.Errorf("node %s: %s is %s, unstripped %s", v.Version, f, got, want)
			}
		}
		if !strings.HasPrefix(l.Values[IsolateCEntryFP].Origin, "rule ") {
			t.Errorf("node %s: %s from %q; builtins have no names here", v.Version, IsolateCEntryFP,
				l.Values[IsolateCEntryFP].Origin)
		}
		if l.Builtins != whole.Builtins {
			t.Errorf("node %s: builtins at %+v, unstripped %+v", v.Version, l.Builtins, whole.Builtins)
		}
		if diff := cmp.Diff(whole.BytecodeSizes, l.BytecodeSizes) + cmp.Diff(whole.TranslationOperands,
			l.TranslationOperands) + cmp.Diff(whole.Handlers, l.Handlers); diff != "" {
			t.Errorf("node %s: tables differ: %s", v.Version, diff)
		}
		if diff := cmp.Diff(whole.V8, l.V8) + cmp.Diff(whole.Node, l.Node); diff != "" {
			t.Errorf("version: %s", diff)
		}
		if strings.Contains(strings.Join(l.Notes, "\n"), "builtins") {
			t.Errorf("node %s: notes %q", v.Version, l.Notes)
		}
	}
}

// symbolOf looks for an exported symbol by the standard library.
func symbolOf(t *testing.T, r io.ReaderAt, name string) (elf.Symbol, bool) {
	t.Helper()
	f, err := elf.NewFile(r)
	if err != nil {
		t.Fatal(err)
	}
	all, err := f.DynamicSymbols()
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range all {
		if s.Name == name {
			return s, true
		}
	}
	return elf.Symbol{}, false
}

// The debugger constants again, through the standard library's symbol tables and sections.
func TestConstantsAgainstStandardLibrary(t *testing.T) {
	for _, v := range nodes.Versions() {
		l, r := readNode(t, v.Version)
		f, err := elf.NewFile(r)
		if err != nil {
			t.Fatal(err)
		}
		syms, err := f.DynamicSymbols()
		if err != nil {
			t.Fatal(err)
		}
		want := map[string]int64{}
		for _, s := range syms {
			if strings.HasPrefix(s.Name, "v8dbg_") {
				want[s.Name] = constant(t, f.Sections[s.Section], s)
			}
		}
		checked := 0
		for _, r := range table {
			if name, ok := constantOf(l, r); ok {
				checked++
				add := r.add
				if r.of != 0 {
					add += l.Values[r.of].N
				}
				if got := l.Values[r.field].N; got != want[name]*max(r.scale, 1)+add {
					t.Errorf("node %s: %s is %d, %s is %d", v.Version, r.field, got, name, want[name])
				}
			}
		}
		if checked < 60 {
			t.Errorf("node %s: only %d fields come from constants", v.Version, checked)
		}
	}
}

func constantOf(l *Layout, r row) (string, bool) {
	origin := l.Values[r.field].Origin
	name, _, _ := strings.Cut(origin, " ")
	return name, strings.HasPrefix(origin, "v8dbg_")
}

func constant(t *testing.T, s *elf.Section, sym elf.Symbol) int64 {
	t.Helper()
	if s.Type == elf.SHT_NOBITS {
		return 0
	}
	b := make([]byte, 4)
	if _, err := s.ReadAt(b, int64(sym.Value-s.Addr)); err != nil {
		t.Fatal(err)
	}
	return int64(int32(binary.LittleEndian.Uint32(b)))
}

// A Node is known for one with or without its symbols; this test, which has V8's names in it but no V8, is not.
func TestProbe(t *testing.T) {
	for _, v := range nodes.Versions() {
		_, f := readNode(t, v.Version)
		if !Probe(f) || !Probe(stripped(t, f)) {
			t.Errorf("%s: V8 is not seen", v.Version)
		}
	}
	self, err := os.Open("/proc/self/exe")
	if err != nil {
		t.Fatal(err)
	}
	defer self.Close()
	if Probe(self) || Probe(strings.NewReader("no ELF")) {
		t.Error("V8 is seen where there is none")
	}
}
