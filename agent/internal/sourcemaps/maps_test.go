package sourcemaps

import (
	"encoding/base64"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
	"unicode/utf16"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"

	"github.com/hotspan/hotspan/agent/internal/procs"
	"github.com/hotspan/hotspan/pprofx"
	"github.com/hotspan/hotspan/pprofx/sourcemap"
	"github.com/hotspan/hotspan/v8/functions"
	"github.com/hotspan/hotspan/v8/heap"
)

// aMap says that line 1 comes from line 1 of a.ts, and that what begins in column 5 was called first.
const aMap = `{"version":3,"sources":["../src/a.ts"],"names":["first"],"mappings":"AAAA,IAAIA"}`

// mapper is source maps of a process that sees the same files as the test.
func mapper(t *testing.T) (*Maps, *Process, *strings.Builder) {
	t.Helper()
	root, err := procs.OpenRoot(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	var said strings.Builder
	m := New(slog.New(slog.NewTextHandler(&said, nil)))
	m.unchanged = 0
	return m, newProcess(m, procs.Nobody, root), &said
}

func text(s string) *heap.Text {
	for _, r := range s {
		if r > 0xff {
			return &heap.Text{Two: utf16.Encode([]rune(s))}
		}
	}
	var b []byte
	for _, r := range s {
		b = append(b, byte(r))
	}
	return &heap.Text{One: b}
}

// add waits until the fate of a map is known.
func add(m *Maps, t *Process, s functions.MappedScript) *mappedScript {
	known := m.script[t.Add(s)]
	<-known.done
	return known
}

func TestSourceMapsLoad(t *testing.T) {
	type files map[string]string
	inline := "data:application/json;base64," + base64.StdEncoding.EncodeToString([]byte(aMap))
	for _, c := range []struct {
		name   string
		files  files
		url    string
		source string
		want   Stats
		said   string // in the warning; empty: there is none
	}{
		{"in a file", files{"x.js": "let a", "x.js.map": aMap}, "x.js.map", "let a", Stats{Loaded: 1}, ""},
		{"blanks", files{"x.js.map": aMap}, " x.js.map\t", "let a", Stats{Loaded: 1}, ""},
		{"inline", files{"x.js": "other"}, inline, "let a", Stats{Loaded: 1}, ""},
		{"script of two-byte characters", files{"x.js": "let 世='😀'", "x.js.map": aMap}, "x.js.map", "let 世='😀'",
			Stats{Loaded: 1}, ""},
		{"Latin-1 script", files{"x.js": "let é", "x.js.map": aMap}, "x.js.map", "let é", Stats{Loaded: 1}, ""},
		{"byte order mark", files{"x.js": "\ufefflet a", "x.js.map": aMap}, "x.js.map", "let a", Stats{Loaded: 1}, ""},
		{"byte order mark that V8 has too", files{"x.js": "\ufefflet a", "x.js.map": aMap}, "x.js.map", "\ufefflet a",
			Stats{Loaded: 1}, ""},
		{"no UTF-8", files{"x.js": "let \xe9", "x.js.map": aMap}, "x.js.map", "let \ufffd", Stats{Loaded: 1}, ""},
		{"script without a file", files{"x.js.map": aMap}, "x.js.map", "let a", Stats{Loaded: 1}, ""},
		{"wrapped", files{"x.js": "let a", "x.js.map": aMap}, "x.js.map", wrapperHead + "let a" + wrapperTail,
			Stats{Loaded: 1}, ""},
		{"wrapped, two-byte", files{"x.js": "let 世", "x.js.map": aMap}, "x.js.map", wrapperHead + "let 世" + wrapperTail,
			Stats{Loaded: 1}, ""},
		{"not there", files{"x.js": "let a"}, "x.js.map", "let a", Stats{Missing: 1}, ""},
		{"on a server", nil, "https://h.example/x.js.map", "let a", Stats{Remote: 1}, ""},
		{"built again", files{"x.js": "let b", "x.js.map": aMap}, "x.js.map", "let a", Stats{Broken: 1},
			"not the one in its file now"},
		{"built again, longer", files{"x.js": "let a;", "x.js.map": aMap}, "x.js.map", "let a", Stats{Broken: 1},
			"not the one in its file now"},
		{"built again, shorter", files{"x.js": "let", "x.js.map": aMap}, "x.js.map", "let 世", Stats{Broken: 1},
			"not the one in its file now"},
		{"built again, much longer", files{"x.js": strings.Repeat("x", 99), "x.js.map": aMap}, "x.js.map", "let a",
			Stats{Broken: 1}, "not the one in its file now"},
		{"no JSON", files{"x.js.map": "<html>"}, "x.js.map", "", Stats{Broken: 1}, "x.js.map: invalid character '<'"},
		{"broken inline", nil, "data:application/json,{}", "", Stats{Broken: 1}, "version is not 3"},
		{"unknown scheme", nil, "blob:x", "", Stats{Broken: 1}, "blob:x: URLs of scheme blob: are not read"},
		{"pipe", files{"pipe": ""}, "pipe", "", Stats{Broken: 1}, "pipe: not a regular file"},
		{"the kernel's log", nil, "/proc/kmsg", "", Stats{Broken: 1}, "the kernel's own file systems"},
		{"folder", nil, ".", "", Stats{Broken: 1}, "not a regular file"},
		{"too large", files{"big": ""}, "big", "", Stats{TooLarge: 1}, "big: more than 67108864 bytes"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			for name, content := range c.files {
				path := filepath.Join(dir, name)
				err := os.WriteFile(path, []byte(content), 0o644)
				switch name {
				case "pipe":
					os.Remove(path)
					err = unix.Mkfifo(path, 0o644)
				case "big":
					err = os.Truncate(path, sourcemap.MaxBytes+1)
				}
				if err != nil {
					t.Fatal(err)
				}
			}
			m, target, said := mapper(t)
			s := functions.MappedScript{Script: &heap.Script{ID: 7, Name: filepath.Join(dir, "x.js")}, URL: text(c.url),
				Source: text(c.source)}
			got := add(m, target, s)
			if diff := cmp.Diff(c.want, m.Stats()); diff != "" {
				t.Error(diff)
			}
			if !strings.Contains(said.String(), c.said) || c.said == "" && said.Len() > 0 ||
				c.said != "" && !strings.Contains(said.String(), "x.js") {
				t.Errorf("said %q, want %q", said, c.said)
			}
			if (got.script.Map != nil) != (c.want.Loaded == 1) {
				t.Fatalf("%+v", got)
			}
			wrapped := strings.HasPrefix(c.name, "wrapped")
			if wrapped != (got.script.ColumnOffset == len(wrapperHead)) {
				t.Errorf("column offset %d", got.script.ColumnOffset)
			}
			if got.script.Map != nil {
				if p, _ := got.script.Map.At(1, 1); p.File != filepath.Join(filepath.Dir(dir), "src/a.ts") {
					t.Errorf("source %q in %s", p.File, dir)
				}
			}
		})
	}
}

// TestSourceMapsWarnOnce: a script that many processes run is spoken of once, and there is an end to warnings.
func TestSourceMapsWarnOnce(t *testing.T) {
	m, a, said := mapper(t)
	for id := range 40 {
		s := functions.MappedScript{Script: &heap.Script{ID: id, Name: fmt.Sprintf("/srv/%d.js", id/2)},
			URL: text("data:,{}")}
		add(m, newProcess(m, a.user, a.root), s)
	}
	if n := strings.Count(said.String(), "\n"); n != maxMapWarnings || m.Stats().Broken != 40 {
		t.Errorf("%d warnings, %+v\n%s", n, m.Stats(), said)
	}
}

// TestSourceMapsShared: processes that run the same script share its map, and the last to end takes it along, after the
// snapshots that may have samples of it.
func TestSourceMapsShared(t *testing.T) {
	m, a, _ := mapper(t)
	b := newProcess(m, 0, nil)
	s := functions.MappedScript{Script: &heap.Script{ID: 7, Name: "/srv/x.js"}, URL: text("data:," + aMap)}
	first, second := add(m, a, s), add(m, b, s)
	if n := m.memory.All(); first.shared != second.shared || n != first.shared.size || n == 0 || m.units.All() != 0 {
		t.Fatalf("%d bytes, %d units, %+v, %+v", m.memory.All(), m.units.All(), first.shared, second.shared)
	}
	if again := a.Add(s); m.script[again] != first || m.Stats().Loaded != 2 {
		t.Errorf("the same script again: number %d", again)
	}
	m.SnapshotCut(4)
	a.End()
	b.End()
	for cut := range 6 {
		if m.Forget(cut); len(m.script) != 2 || m.memory.All() == 0 {
			t.Fatalf("forgotten after snapshot %d, samples of them may be in 6", cut)
		}
	}
	m.Forget(6)
	if len(m.script) != 0 || len(m.maps) != 0 || m.memory.All() != 0 {
		t.Errorf("left: %v %v %d", m.script, m.maps, m.memory.All())
	}
}

// TestScriptsOfIsolates: scripts of two isolates of a process may have one id. Each has its own map, and the same
// script in both has one.
func TestScriptsOfIsolates(t *testing.T) {
	m, a, _ := mapper(t)
	script := func(name, url, source string) functions.MappedScript {
		return functions.MappedScript{Script: &heap.Script{ID: 83, Name: name}, URL: text(url), Source: text(source)}
	}
	const other = `{"version":3,"sources":["../src/b.ts"],"mappings":"AAAA"}`
	seen := map[int32]bool{}
	for _, s := range []functions.MappedScript{
		script("/srv/server.js", "data:,"+aMap, "a()"), script("/srv/worker.js", "data:,"+other, "b()"),
		script("/srv/server.js", "data:,"+other, "a()"), script("/srv/server.js", "data:,"+aMap, "a() // \u0416"),
	} {
		number := a.Add(s)
		if number == 0 || seen[number] || a.Add(s) != number {
			t.Errorf("%s has the map of another script, or two: %d", s.Script.Name, number)
		}
		seen[number] = true
		<-m.script[number].done
	}
}

// TestSourceMapsLimits: what the processes of one user have taken of what is limited, they have no more of, and those
// of another do.
func TestSourceMapsLimits(t *testing.T) {
	for name, limited := range map[string]func(*Maps) (*users, float64){
		"scripts": func(m *Maps) (*users, float64) { return m.scripts, maxMappedScripts },
		"text":    func(m *Maps) (*users, float64) { return m.units, maxMapsWaiting },
		"memory":  func(m *Maps) (*users, float64) { return m.memory, maxMapMemory },
	} {
		t.Run(name, func(t *testing.T) {
			m, a, _ := mapper(t)
			other := newProcess(m, 1, a.root)
			if of, most := limited(m); !of.Take(a.user, int(most*userPart)) {
				t.Fatal("a user cannot have its share")
			}
			s := functions.MappedScript{Script: &heap.Script{ID: 7, Name: "/srv/x.js"}, URL: text("data:," + aMap)}
			if n := a.Add(s); n != 0 {
				<-m.script[n].done
			}
			if m.Stats().TooLarge != 1 {
				t.Errorf("of the same user: %+v", m.Stats())
			}
			if got := add(m, other, s); got.script.Map == nil || m.Stats().TooLarge != 1 {
				t.Errorf("of another user: %+v, %+v", got, m.Stats())
			}
		})
	}
}

// TestSourceMapsMemory: with less memory, a map is too large by its text, and then by what it takes with others.
func TestSourceMapsMemory(t *testing.T) {
	m, a, _ := mapper(t)
	s := functions.MappedScript{Script: &heap.Script{ID: 7, Name: "/srv/x.js"}, URL: text("data:," + aMap)}
	for i, memory := range []int64{4, int64(2*len(aMap)) + 2} {
		m.SetMemory(memory)
		s.Script.LineOffset++
		if n := a.Add(s); n != 0 || m.Stats().TooLarge != int64(i+1) {
			t.Errorf("%d bytes: number %d, %+v", memory, n, m.Stats())
		}
	}
	m.SetMemory(1 << 62)
	s.Script.LineOffset++
	if got := add(m, a, s); got.script.Map == nil || m.Stats().TooLarge != 2 {
		t.Errorf("%+v, %+v", got, m.Stats())
	}
}

// TestSourceMapsLate: a snapshot does not wait for ever, and samples that went out as they were are counted.
func TestSourceMapsLate(t *testing.T) {
	m, a, _ := mapper(t)
	s := functions.MappedScript{Script: &heap.Script{ID: 7, Name: "/srv/x.js"}, URL: text("data:," + aMap)}
	turn := m.turns.Begin(1)
	number := a.Add(s)
	m.script[number].since = time.Now().Add(-mapWait)
	generated := &pprofx.Frame{Function: "f", File: "/srv/x.js", Line: 1, Column: 1, Map: number}
	other := &pprofx.Frame{Function: "g", File: "/srv/y.js"}
	snapshot := &pprofx.Snapshot{
		Frames: []*pprofx.Frame{generated, other}, Stacks: [][]int32{{1, 0}, {1}},
		Rows: []pprofx.Row{{Stack: 0}, {Stack: 1}, {Stack: 0}},
	}
	never, always := func() bool { return false }, func() bool { return true }
	got := m.Apply(snapshot, never)
	if got.Frames[0].File != "/srv/x.js" || got.Frames[0].Map != 0 || m.Stats().Late != 2 {
		t.Errorf("%+v, %+v", got.Frames[0], m.Stats())
	}
	begin := time.Now()
	m.script[number].since = begin
	if m.Apply(snapshot, always); m.Stats().Late != 4 || time.Since(begin) > mapWait/2 {
		t.Errorf("pressed: %+v after %v", m.Stats(), time.Since(begin))
	}
	turn.End()
	<-m.script[number].done
	got = m.Apply(snapshot, always)
	if got.Frames[0].File != "/src/a.ts" || m.Stats().Late != 4 {
		t.Errorf("%+v, %+v", got.Frames[0], m.Stats())
	}
}

// TestNoText: the map of a script whose text cannot be read may be of another build, if there is a file of the script.
func TestNoText(t *testing.T) {
	m, target, said := mapper(t)
	dir := t.TempDir()
	for name, text := range map[string]string{"x.js": "let a", "x.js.map": aMap, "y.js.map": aMap} {
		write(t, dir, name, text)
	}
	for name, used := range map[string]bool{"x.js": false, "y.js": true} {
		known := add(m, target, functions.MappedScript{
			Script: &heap.Script{Name: filepath.Join(dir, name)}, URL: text(name + ".map"),
		})
		if got := known.script.Map != nil; got != used {
			t.Errorf("%s: its map is used: %v, want %v: %s", name, got, used, said)
		}
	}
	if m.Stats().Broken != 1 || !strings.Contains(said.String(), errNoText.Error()) {
		t.Errorf("%+v: %s", m.Stats(), said)
	}
}

// TestLongText: the text of a script is compared with its file without another copy of either.
func TestLongText(t *testing.T) {
	_, target, _ := mapper(t)
	dir := t.TempDir()
	long := strings.Repeat("let a = 1;\n", 2<<20)
	for name, text := range map[string]string{"same.js": long, "other.js": long[1:] + "x"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	source := text(long)
	for name, same := range map[string]bool{"same.js": true, "other.js": false} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		err := sameText(target.root, functions.MappedScript{
			Script: &heap.Script{Name: filepath.Join(dir, name)}, Source: source,
		})
		runtime.ReadMemStats(&after)
		if (err == nil) != same {
			t.Errorf("%s: %v", name, err)
		}
		if n := after.TotalAlloc - before.TotalAlloc; n > uint64(len(long))/4 {
			t.Errorf("%s: %d bytes for a text of %d", name, n, len(long))
		}
	}
}
