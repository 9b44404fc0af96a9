package elffile

import (
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hotspan/hotspan/agent/internal/unwind"
	"github.com/hotspan/hotspan/test/nodes"
)

// rowsOf keeps the rows that it is given.
type rowsOf struct{ rows []unwind.Row }

func (r *rowsOf) AddTable(t *unwind.Table) (slot, pages uint32, err error) {
	r.rows = make([]unwind.Row, t.Len())
	return 1, 1, t.ReadRows(0, r.rows)
}

func (r *rowsOf) RemoveTable(uint32) error { return nil }

// kept is a cache that keeps files in a directory.
func kept(t *testing.T, rules Rules, directory string) *Cache {
	t.Helper()
	c := NewCache(rules)
	if err := c.KeepIn(directory, slog.New(slog.NewTextHandler(t.Output(), nil))); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

// What is read from disk is what was parsed, of each Node.js and of libraries.
func TestWarmIsCold(t *testing.T) {
	paths := []string{"/lib/x86_64-linux-gnu/libc.so.6", "/usr/bin/cat"}
	for _, n := range nodes.Drawn(nodes.Versions(), t.Name()) {
		path, err := nodes.Path(n.Version)
		if err != nil {
			t.Fatal(err)
		}
		paths = append(paths, path)
	}
	directory := filepath.Join(t.TempDir(), "files")
	for _, path := range paths {
		var parsed, read rowsOf
		memory := NewCache(nil)
		cold := kept(t, &parsed, directory)
		want := opened(t, cold, path)
		cold.writes.Wait()
		if want.contents.entry == nil || want.Symbols != nil && want.Symbols.Encoded() != nil ||
			want.Rules.EncodedKept() != nil {
			t.Errorf("%s: it is not on disk, or still in memory", path)
		}
		got := opened(t, kept(t, &read, directory), path)
		if got.contents.entry == nil || got.contents.id.file.hash != want.contents.id.file.hash {
			t.Fatalf("%s: it was not read from disk", path)
		}
		if !slices.Equal(parsed.rows, read.rows) || len(read.rows) == 0 {
			t.Errorf("%s: %d rows, want %d", path, len(read.rows), len(parsed.rows))
		}
		equal(t, opened(t, memory, path), got, parsed.rows)
		equal(t, want, got, parsed.rows)
	}
}

func equal(t *testing.T, want, got *File, rows []unwind.Row) {
	t.Helper()
	if !reflect.DeepEqual(want.Layout, got.Layout) || !reflect.DeepEqual(want.ThreadLocals, got.ThreadLocals) ||
		!reflect.DeepEqual(want.Pool, got.Pool) || want.BuildID != got.BuildID ||
		!slices.Equal(want.contents.segments, got.contents.segments) ||
		want.Rules.Base != got.Rules.Base || want.Rules.Unsupported != got.Rules.Unsupported ||
		len(want.Problems) != len(got.Problems) {
		t.Errorf("%s differs: %s", want.Path, cmp.Diff(want.Layout, got.Layout))
	}
	for i, r := range rows {
		at := want.Rules.Base + uint64(r.PC)
		for _, register := range []uint8{3, 12, 13} {
			if i%997 == 0 && want.Rules.Kept(register, at) != got.Rules.Kept(register, at) {
				t.Fatalf("%s: register %d at %#x is elsewhere", want.Path, register, at)
			}
		}
		if i%499 != 0 || want.Symbols == nil {
			continue
		}
		name, _ := want.Symbols.Lookup(at)
		if other, _ := got.Symbols.Lookup(at); name != other {
			t.Fatalf("%s: %#x is %v, want %v", want.Path, at, other, name)
		}
	}
	if want.Symbols != nil && want.Symbols.Len() != got.Symbols.Len() {
		t.Errorf("%s: %d symbols, want %d", want.Path, got.Symbols.Len(), want.Symbols.Len())
	}
}

// A file with the build id of one on disk and another byte in what was parsed is parsed itself.
func TestStoredOfOtherContents(t *testing.T) {
	const path = "/usr/bin/cat"
	directory := filepath.Join(t.TempDir(), "files")
	cold := kept(t, nil, directory)
	first := opened(t, cold, path)
	cold.writes.Wait()
	rows := first.contents.id.file.pieces[0]                  // the ELF header is in the first piece
	other := changed(t, path, int64(rows.first)*pieceSize+60) // e_shnum, of the section headers
	f := opened(t, kept(t, nil, directory), other)
	if f.contents.entry != nil && f.contents.id.file.hash == first.contents.id.file.hash {
		t.Error("another file is taken for the one on disk")
	}
}

// What was begun is on disk after Close, and nothing stays open.
func TestCloseEndsWrites(t *testing.T) {
	directory, before := filepath.Join(t.TempDir(), "files"), descriptors(t)
	c := NewCache(nil)
	if err := c.KeepIn(directory, slog.New(slog.DiscardHandler)); err != nil {
		t.Fatal(err)
	}
	f := opened(t, c, "/usr/bin/cat")
	c.Close()
	if entries, err := os.ReadDir(directory); err != nil || len(entries) != 1 || f.contents.entry == nil {
		t.Errorf("%d files on disk, %v, want one", len(entries), err)
	}
	if now := descriptors(t); now > before {
		t.Errorf("%d descriptors, %d before", now, before)
	}
}

// Whatever is on disk, reading it fails or gives something that can be used.
func FuzzDecode(f *testing.F) {
	file, err := os.Open("/usr/bin/cat")
	if err != nil {
		f.Fatal(err)
	}
	defer file.Close()
	c := NewCache(nil).load(file)
	if c.id == nil {
		f.Fatal(c.problems)
	}
	c.rules = nil
	parts := c.encode()
	f.Add(parts[partSmall], parts[partSymbols], parts[partKept], parts[partRows])
	f.Fuzz(func(t *testing.T, small, symbols, kept, rows []byte) {
		var parts []*io.SectionReader
		for _, b := range [][]byte{small, symbols, kept, rows} {
			parts = append(parts, section(b))
		}
		c, err := decode(parts)
		if err != nil {
			return
		}
		if c.symbols != nil {
			c.symbols.Lookup(0x1000)
			c.symbols.Addresses("main")
		}
		if c.rules != nil {
			c.rules.Kept(3, 0x1000)
			_ = c.rules.ReadRows(0, make([]unwind.Row, c.rules.Len()))
		}
	})
}

func section(b []byte) *io.SectionReader {
	return io.NewSectionReader(readerOf(b), 0, int64(len(b)))
}

type readerOf []byte

func (r readerOf) ReadAt(b []byte, off int64) (int, error) {
	if off >= int64(len(r)) {
		return 0, io.EOF
	}
	if n := copy(b, r[off:]); n < len(b) {
		return n, io.EOF
	}
	return len(b), nil
}
