package symbols

import (
	"bytes"
	"debug/elf"
	"slices"
	"testing"
	"unicode/utf8"
)

func FuzzOpen(f *testing.F) {
	f.Add(small())
	f.Fuzz(func(t *testing.T, data []byte) {
		if file, err := elf.NewFile(bytes.NewReader(data)); err == nil {
			BuildID(file)
			SegmentsOf(file).Address(0x40)
		}
		table, err := OpenWith(bytes.NewReader(data), nil)
		if err != nil {
			return
		}
		sound(t, table)
		listed := entries(table)
		if err := table.Pack(); err != nil {
			return
		}
		sound(t, table)
		if !equalEntries(listed, entries(table)) {
			t.Error("other symbols after Pack")
		}
	})
}

func equalEntries(a, b []entry) bool {
	return slices.EqualFunc(a, b, func(a, b entry) bool {
		return a.start == b.start && a.size == b.size && bytes.Equal(a.name, b.name)
	})
}

// sound checks what holds of every table: rising starts, and each symbol found and named at its start.
func sound(t *testing.T, table *Table) {
	t.Helper()
	all := entries(table)
	for i, e := range all {
		if i > 0 && e.start <= all[i-1].start {
			t.Fatalf("entry %d at %#x follows %#x", i, e.start, all[i-1].start)
		}
		if got, ok := table.Lookup(e.start); !ok || got.Start != e.start || len(got.Name) > maxShown {
			t.Fatalf("entry %d: Lookup(%#x) = %+v, %v", i, e.start, got, ok)
		}
	}
}

func FuzzDisplay(f *testing.F) {
	f.Add("_ZN2v88internal4Heap8ScavengeEv")
	f.Add("_RNvC6_123foo3bar")
	f.Add("_ZNSt6vectorIiSaIiEE9push_backERKi")
	f.Fuzz(func(t *testing.T, name string) {
		if got := display(name); len(got) > maxShown || !utf8.ValidString(got) {
			t.Errorf("display(%q) = %q", name, got)
		}
		if got := shorten(name); len(got) > len(name) {
			t.Errorf("shorten(%q) = %q", name, got)
		}
	})
}
