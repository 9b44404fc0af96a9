package sourcemaps

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/hotspan/hotspan/pprofx"
	"github.com/hotspan/hotspan/v8/functions"
	"github.com/hotspan/hotspan/v8/heap"
)

// TestLookAgain: a map that was not written at the time of its script is read again when it has changed, and not used
// any more once the script has. One that was is used on whatever comes later, and so is one that is gone.
func TestLookAgain(t *testing.T) {
	const other = `{"version":3,"sources":["../src/b.ts"],"mappings":"AAAA"}`
	for _, c := range []struct {
		name  string
		pause time.Duration // between the script and the map
		then  map[string]string
		want  string
		stats Stats
	}{
		{"nothing", 300 * time.Millisecond, nil, "a.ts", Stats{Loaded: 1}},
		{"the map", 300 * time.Millisecond, map[string]string{"x.js.map": other}, "b.ts", Stats{Loaded: 1}},
		{"the script", 300 * time.Millisecond, map[string]string{"x.js": "let b"}, "x.js", Stats{Broken: 1}},
		{"the same script", 300 * time.Millisecond, map[string]string{"x.js": "let a"}, "a.ts", Stats{Loaded: 1}},
		{"both", 300 * time.Millisecond, map[string]string{"x.js": "let b", "x.js.map": other}, "x.js",
			Stats{Broken: 1}},
		{"no map", 300 * time.Millisecond, map[string]string{"x.js.map": ""}, "a.ts", Stats{Loaded: 1}},
		{"no script", 300 * time.Millisecond, map[string]string{"x.js": ""}, "a.ts", Stats{Loaded: 1}},
		{"both, of one build", 0, map[string]string{"x.js": "let b", "x.js.map": other}, "a.ts", Stats{Loaded: 1}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			m, p, said := mapper(t)
			m.unchanged = 200 * time.Millisecond
			if c.pause == 0 {
				m.unchanged = 2 * time.Second // a slow machine writes both in that time, too
			}
			dir := filepath.Join(t.TempDir(), "dist")
			if err := os.Mkdir(dir, 0o755); err != nil {
				t.Fatal(err)
			}
			write(t, dir, "x.js", "let a")
			time.Sleep(c.pause)
			write(t, dir, "x.js.map", aMap)
			s := functions.MappedScript{Script: &heap.Script{Name: filepath.Join(dir, "x.js")}, URL: text("x.js.map"),
				Source: text("let a")}
			number := p.Add(s)
			file := func() string { return fileOf(m, number, s.Script.Name) }
			if got := file(); got != "a.ts" {
				t.Fatalf("first %s: %s", got, said)
			}
			for name, text := range c.then {
				write(t, dir, name, text)
			}
			for range 2 {
				if got := file(); got != c.want || m.Stats() != c.stats {
					t.Errorf("%s, want %s; %+v: %s", got, c.want, m.Stats(), said)
				}
			}
			if told := strings.Contains(said.String(), "not the one in its file now"); told != (c.want == "x.js") {
				t.Errorf("said %q", said)
			}
			p.End()
			if m.Forget(2); m.units.All() != 0 || m.memory.All() != 0 || m.scripts.All() != 0 {
				t.Errorf("left: %d units, %d bytes, %d scripts", m.units.All(), m.memory.All(), m.scripts.All())
			}
		})
	}
}

// TestGoneForLong: a map that is gone is not looked for any more once its build is long ago.
func TestGoneForLong(t *testing.T) {
	m, _, _ := mapper(t)
	for _, last := range []bool{false, true} {
		s := &mappedScript{done: make(chan struct{}), again: func() {}}
		if m.loadedAgain(s, nil, fs.ErrNotExist, last); (s.again == nil) != last {
			t.Errorf("the last time: %v, looked for again: %v", last, s.again != nil)
		}
	}
}

// write writes a file, or removes it if its text is empty.
func write(t *testing.T, dir, name, text string) {
	t.Helper()
	err := os.RemoveAll(filepath.Join(dir, name))
	if text != "" {
		err = os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// fileOf is the name of the file that a frame of a script has.
func fileOf(m *Maps, number int32, script string) string {
	s := m.Apply(&pprofx.Snapshot{
		Frames: []*pprofx.Frame{{Function: "f", File: script, Line: 1, Column: 1, Map: number}},
		Stacks: [][]int32{{0}}, Rows: []pprofx.Row{{Stack: 0}},
	}, func() bool { return false })
	return filepath.Base(s.Frames[0].File)
}

// TestOneBuild: files that were changed at about the same time, or long ago, are of one build.
func TestOneBuild(t *testing.T) {
	m, _, _ := mapper(t)
	m.unchanged = unchangedFor
	ago := func(d time.Duration) version {
		return version{changed: unix.NsecToTimespec(time.Now().Add(-d).UnixNano())}
	}
	for _, c := range []struct {
		name string
		pair pair
		one  bool
		wait time.Duration // at most a second longer than it is
	}{
		{"just now", pair{ago(0), ago(time.Second)}, true, unchangedFor},
		{"the map is later", pair{ago(5 * time.Second), ago(0)}, false, apartFactor * unchangedFor},
		{"the script is later", pair{ago(0), ago(time.Hour)}, false, apartFactor * unchangedFor},
		{"long ago", pair{ago(longestBuild + time.Second), ago(time.Hour)}, true, 0},
		{"no script", pair{file: ago(0)}, false, apartFactor * unchangedFor},
		{"no map, long ago", pair{script: ago(time.Hour)}, true, 0},
		{"neither", pair{}, true, 0},
		{"1970", pair{version{}, version{changed: unix.Timespec{Sec: 1}}}, true, 0},
	} {
		wait := max(m.changing(c.pair), 0)
		if one := m.oneBuild(c.pair); one != c.one || wait > c.wait || wait < c.wait-time.Second {
			t.Errorf("%s: one build %v, wait %v", c.name, one, wait)
		}
	}
}
