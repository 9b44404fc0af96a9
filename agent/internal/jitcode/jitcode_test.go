package jitcode

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hotspan/hotspan/pprofx"
	"github.com/hotspan/hotspan/v8/functions"
)

func function(name string) pprofx.Frame {
	return pprofx.Frame{Function: name, File: "/a.js", Line: 3, Kind: pprofx.JS, Tier: pprofx.TurboFan}
}

// put adds a piece of code with one line.
func put(p *Process, start uint64, name, text string) *piece {
	c := &piece{start: start, end: start + uint64(len(text)), function: function(name), points: map[int]*point{}}
	line := functions.CodeLine{Offset: 0, File: "/a.js", Line: 3, Column: 1, Text: "f()"}
	return p.add(c, []byte(text), []functions.CodeLine{line}, 7, 8)
}

func open(t testing.TB) (*Recorder, *Process) {
	t.Helper()
	r, err := Open(filepath.Join(t.TempDir(), "code"))
	if err != nil {
		t.Fatal(err)
	}
	return r, r.Process(5)
}

// names are what Read has, as "index name samples".
func names(t *testing.T, dir string) (out []string) {
	t.Helper()
	add := func(c Copied) { out = append(out, fmt.Sprint(c.Index, c.Name, string(c.Bytes), c.Samples)) }
	if err := Read(dir, add); err != nil {
		t.Fatal(err)
	}
	return out
}

// TestPlaces: what takes the place of code is another piece, with samples of its own; the same code that was forgotten
// and found again is not. A map has the last of those that overlap.
func TestPlaces(t *testing.T) {
	r, p := open(t)
	inner, outer := function("inner"), function("first")
	inner.Inlined = true
	first := put(p, 0x1000, "first", "\x90\xc3")
	p.count(first, 0x1001, []*pprofx.Frame{&inner, &outer, {Function: "caller"}})
	p.count(put(p, 0x1000, "first", "\x90\xc3"), 0x1001, nil)
	second := put(p, 0x1000, "first", "\x90\xcb")
	p.count(second, 0x1000, []*pprofx.Frame{&outer})
	third := put(p, 0x1001, "third\n", "\x90\x90\xc3")
	put(p, 0x2000, "far", "\xc3")
	q := r.Process(5) // the process has executed another program
	p.count(put(q, 0x2000, "far", "\xc3"), 0x2000, nil)
	p.count(nil, 0x3000, nil)
	stats, err := r.Close()
	if want := (Stats{Pieces: 5, Samples: 4, Lost: 1}); err != nil || stats != want {
		t.Errorf("%+v, %v, want %+v", stats, err, want)
	}
	if third.index != 3 {
		t.Errorf("third has index %d", third.index)
	}
	want := []string{"1first\x90\xc32", "2first\x90\xcb1", "3third \x90\x90\xc30", "4far\xc30", "5far\xc31"}
	got := names(t, r.dir)
	for i := range got {
		got[i] = strings.ReplaceAll(got[i], " ", "")
		want[i] = strings.ReplaceAll(want[i], " ", "")
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("want(-) got(+):\n%s", diff)
	}
	text, err := os.ReadFile(filepath.Join(r.dir, "perf-5.map"))
	if want := "1001 3 third \n2000 1 far\n"; err != nil || string(text) != want {
		t.Errorf("%q, %v, want %q", text, err, want)
	}
	frames := []Frame{{"inner", "/a.js", 3, 0}, {"first", "/a.js", 3, 0}}
	if diff := cmp.Diff([]Point{{1, 2, frames}}, first.piece().Points); diff != "" {
		t.Errorf("points of the first piece: want(-) got(+):\n%s", diff)
	}
}

// TestLimits: what is over a limit is counted.
func TestLimits(t *testing.T) {
	r, p := open(t)
	r.totals.bytes, r.totals.points = 400, 1
	c := put(p, 0x1000, "f", "\x90\xc3")
	p.count(c, 0x1000, nil)
	p.count(c, 0x1001, nil)
	p.count(c, 0x1000, nil)
	p.count(put(p, 0x2000, "g", strings.Repeat("\x90", 300)), 0x2000, nil)
	stats, err := r.Close()
	if want := (Stats{Pieces: 1, Large: 1, Samples: 2, Lost: 2}); err != nil || stats != want {
		t.Errorf("%+v, %v, want %+v", stats, err, want)
	}
	if got := c.piece(); got.Lost != 1 || got.Samples != 2 {
		t.Errorf("%+v", got)
	}
}

// memory is that of a process, from an address on.
type memory struct {
	from uint64
	text string
}

func (m memory) ReadAt(p []byte, off int64) (int, error) {
	return strings.NewReader(m.text).ReadAt(p, off-int64(m.from))
}

// TestNative: a function of a file is copied once, apart from what the process has made at the address that it has in
// the file. What cannot be copied is counted.
func TestNative(t *testing.T) {
	r, p := open(t)
	in := memory{0x7000, "\x55\x90\x90\xc3"}
	f := func(file, address, start, size uint64) *Native {
		return &Native{File: file, Start: start, Size: size,
			Function: pprofx.Frame{Function: "f", Kind: pprofx.Native, Module: "/bin/f", Address: address}}
	}
	p.CountNative(f(1, 0x1000, 0x7000, 4), 0x7003, in, 7, 8)
	p.CountNative(f(1, 0x1000, 0x7000, 4), 0x7003, memory{}, 7, 8)
	p.CountNative(f(2, 0x1000, 0x7001, 3), 0x7001, in, 7, 8)
	p.CountNative(f(3, 0x1000, 0x7001, 4), 0x7001, in, 7, 8)         // more than is mapped
	p.CountNative(f(4, 0x1000, 0x7000, maxCode+1), 0x7001, in, 7, 8) // too large
	p.CountNative(f(1, 0x1000, 0x7000, 4), 0x7004, in, 7, 8)         // behind it
	p.MissUnnamed()
	p.count(put(p, 0x1000, "made", "\xc3"), 0x1000, nil)
	p.CountNative(f(5, 0x1000, 0x7000, 4), 0x7000, in, 7, 8)
	if p.places[0x1000].function.Function != "made" {
		t.Errorf("%+v", p.places)
	}
	stats, err := r.Close()
	if want := (Stats{Pieces: 4, Large: 1, Unread: 1, Samples: 5, Lost: 3, Unnamed: 1}); err != nil || stats != want {
		t.Errorf("%+v, %v, want %+v", stats, err, want)
	}
	pieces := []string{"3made\xc31", "1f\x55\x90\x90\xc32", "2f\x90\x90\xc31", "4f\x55\x90\x90\xc31"}
	if diff := cmp.Diff(pieces, names(t, r.dir)); diff != "" {
		t.Errorf("want(-) got(+):\n%s", diff)
	}
	if b, err := os.ReadFile(filepath.Join(r.dir, "perf-5.map")); err != nil || string(b) != "1000 1 made\n" {
		t.Errorf("perf's map has %q, %v", b, err)
	}
}

// TestOldDump: a dump of an earlier recording does not stay beside samples that it does not have.
func TestOldDump(t *testing.T) {
	r, p := open(t)
	if err := os.WriteFile(filepath.Join(r.dir, "native-5.dump"), []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	put(p, 0x1000, "f", "\x90\xc3")
	if _, err := r.Close(); err != nil {
		t.Fatal(err)
	}
	if got := names(t, r.dir); len(got) != 1 {
		t.Errorf("%q", got)
	}
}

// TestLinks: a file that is not hotspan's own is not written to through a link.
func TestLinks(t *testing.T) {
	r, p := open(t)
	other := filepath.Join(t.TempDir(), "other")
	if err := os.WriteFile(other, []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"jit-5.dump", "perf-5.map", "samples-5.jsonl"} {
		if err := os.Symlink(other, filepath.Join(r.dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	put(p, 0x1000, "f", "\x90\xc3")
	if _, err := r.Close(); err != nil {
		t.Fatal(err)
	}
	if b, err := os.ReadFile(other); err != nil || string(b) != "mine" {
		t.Errorf("%q, %v", b, err)
	}
}

// TestReadLies: samples that cannot be those of the code are refused.
func TestReadLies(t *testing.T) {
	r, p := open(t)
	p.count(put(p, 0x1000, "f", "\x90\xc3"), 0x1001, nil)
	if _, err := r.Close(); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(r.dir, "samples-5.jsonl")
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ old, new, want string }{
		{`"offset":1`, `"offset":2`, "code 1 of 2 bytes: 1 samples at 2"},
		{`"offset":1`, `"offset":-1`, "1 samples at -1"},
		{`"samples":1,"points"`, `"samples":9,"points"`, "9 samples, at its instructions 1"},
		{`"function":"f"`, `"function":"g"`, "the samples are of g"},
		{`"address":4096`, `"address":4097`, "at 0x1001"},
		{`}]`, `}`, "after 0 pieces of code: invalid character"},
	} {
		lie := strings.Replace(string(b), c.old, c.new, 1)
		if lie == string(b) {
			t.Fatalf("%q is not in %s", c.old, b)
		}
		if err := os.WriteFile(path, []byte(lie), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := Read(r.dir, func(Copied) {}); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.new, err, c.want)
		}
	}
}

// FuzzRead: whatever a file of samples has, it is refused or its samples are at bytes of the code.
func FuzzRead(f *testing.F) {
	r, p := open(f)
	p.count(put(p, 0x1000, "f", "\x90\xc3"), 0x1001, nil)
	if _, err := r.Close(); err != nil {
		f.Fatal(err)
	}
	path := filepath.Join(r.dir, "samples-5.jsonl")
	b, err := os.ReadFile(path)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(b)
	f.Fuzz(func(t *testing.T, b []byte) {
		if err := os.WriteFile(path, b, 0o600); err != nil {
			t.Fatal(err)
		}
		_ = Read(r.dir, func(c Copied) {
			for _, at := range c.Points {
				if at.Samples < 1 || at.Offset < 0 || at.Offset >= len(c.Bytes) {
					t.Errorf("%+v", at)
				}
			}
		})
	})
}
