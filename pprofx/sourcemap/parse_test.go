package sourcemap

import (
	"encoding/base64"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// plain maps two lines of generated code: line 1 to line 1 of a.ts, where at column 4 (0-based) is x, once called
// first, and at column 8 something that comes from nowhere; line 2 from column 2 on to line 3 of b.ts.
const plain = `{"version":3,"sources":["a.ts","b.ts"],"names":["first"],"mappings":"AAAA,IAAIA,I;ECEE"}`

func parse(t *testing.T, text string) *Map {
	t.Helper()
	m, err := Parse([]byte(text), "/srv/dist/x.js.map")
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestAt(t *testing.T) {
	m := parse(t, plain)
	for _, c := range []struct {
		line, column int
		want         Position
	}{
		{1, 1, Position{"/srv/dist/a.ts", 1, 1}},
		{1, 4, Position{"/srv/dist/a.ts", 1, 1}},
		{1, 5, Position{"/srv/dist/a.ts", 1, 5}},
		{1, 8, Position{"/srv/dist/a.ts", 1, 5}},
		{1, 9, Position{}},   // a segment of one number
		{1, 999, Position{}}, //
		{2, 1, Position{}},   // nothing begins before it in its line
		{2, 3, Position{"/srv/dist/b.ts", 3, 7}},
		{2, 99, Position{"/srv/dist/b.ts", 3, 7}},
		{3, 1, Position{}},
		{0, 0, Position{}},
		{1, 0, Position{}},
		{-1, -1, Position{}},
		{1 << 40, 1 << 40, Position{}},
	} {
		got, ok := m.At(c.line, c.column)
		if diff := cmp.Diff(c.want, got); diff != "" || ok != (c.want.File != "") {
			t.Errorf("%d:%d: %v %s", c.line, c.column, ok, diff)
		}
	}
	for column, want := range map[int]string{1: "", 4: "", 5: "first", 6: "", 9: ""} {
		if got := m.NameAt(1, column); got != want {
			t.Errorf("name at %d: %q, want %q", column, got, want)
		}
	}
}

// where is what a map says of the first column of line 1.
func where(t *testing.T, text string) string {
	t.Helper()
	p, ok := parse(t, text).At(1, 1)
	if !ok {
		return ""
	}
	return fmt.Sprintf("%s:%d:%d", p.File, p.Line, p.Column)
}

func TestParse(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"plain", plain, "/srv/dist/a.ts:1:1"},
		{"prefix against inclusion", ")]}'\n" + plain, "/srv/dist/a.ts:1:1"},
		{"byte order mark", "\xef\xbb\xbf" + plain, "/srv/dist/a.ts:1:1"},
		{"source root", `{"version":3,"sourceRoot":"../src","sources":["a.ts"],"mappings":"AAAA"}`,
			"/srv/src/a.ts:1:1"},
		{"source root with a slash", `{"version":3,"sourceRoot":"../src/","sources":["a.ts"],"mappings":"AAAA"}`,
			"/srv/src/a.ts:1:1"},
		{"absolute root", `{"version":3,"sourceRoot":"/ts","sources":["x/../a.ts"],"mappings":"AAAA"}`, "/ts/a.ts:1:1"},
		{"root on a server", `{"version":3,"sourceRoot":"https://h.example/s","sources":["a.ts"],"mappings":"AAAA"}`,
			"https://h.example/s/a.ts:1:1"},
		{"absolute source", `{"version":3,"sourceRoot":"/ts","sources":["/a.ts"],"mappings":"AAAA"}`, "/a.ts:1:1"},
		{"file URL", `{"version":3,"sources":["file:///x%20y/a.ts"],"mappings":"AAAA"}`, "/x y/a.ts:1:1"},
		{"webpack", `{"version":3,"sources":["webpack://app/./src/a.ts?1f"],"mappings":"AAAA"}`,
			"webpack://app/src/a.ts?1f:1:1"},
		{"a percent sign", `{"version":3,"sources":["100%.ts"],"mappings":"AAAA"}`, "/srv/dist/100%.ts:1:1"},
		{"null source", `{"version":3,"sources":[null],"mappings":"AAAA"}`, ""},
		{"ignored source",
			`{"version":3,"sources":["a.ts"],"ignoreList":[0],"x_google_ignoreList":[0],"mappings":"AAAA"}`,
			"/srv/dist/a.ts:1:1"},
		{"large numbers", `{"version":3,"sources":["a.ts"],"mappings":"AA8/////DA"}`, "/srv/dist/a.ts:2147483647:1"},
		{"unsorted", `{"version":3,"sources":["a.ts"],"mappings":"IAEA,JAFA"}`, "/srv/dist/a.ts:1:1"},
		{"two at one place", `{"version":3,"sources":["a.ts"],"mappings":"AAAA,AAEA"}`, "/srv/dist/a.ts:1:1"},
		{"empty segments", `{"version":3,"sources":["a.ts"],"mappings":",,AAAA,,;,"}`, "/srv/dist/a.ts:1:1"},
		{"no mappings", `{"version":3,"sources":[],"mappings":""}`, ""},
		{"no sections", `{"version":3,"sections":[]}`, ""},
	} {
		if got := where(t, c.text); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

// TestSections: columns are relative in the first line of a section only, and a section ends where the next begins.
func TestSections(t *testing.T) {
	const one = `{"version":3,"sources":["a.ts"],"names":["n"],"mappings":"AAAAA;AACA,KAAK;AACA"}`
	const two = `{"version":3,"sources":["b.ts"],"mappings":"AAAA,GAAG;AACA"}`
	text := `{"version":3,"sections":[{"offset":{"line":0,"column":10},"map":` + one + `},` +
		`{"offset":{"line":1,"column":3},"map":` + two + `},` +
		`{"offset":{"line":9,"column":0},"map":{"version":3,"sections":[{"offset":{"line":0,"column":4},"map":` + one +
		`}]}}]}`
	m := parse(t, text)
	for place, want := range map[[2]int]string{
		{1, 1}: "", {1, 10}: "", {1, 11}: "a.ts:1:1", {1, 99}: "a.ts:1:1",
		{2, 1}: "a.ts:2:1", {2, 3}: "a.ts:2:1", {2, 4}: "b.ts:1:1", {2, 6}: "b.ts:1:1", {2, 7}: "b.ts:1:4",
		{2, 50}: "b.ts:1:4",
		{3, 1}:  "b.ts:2:4", {4, 1}: "", {10, 4}: "", {10, 5}: "a.ts:1:1", {11, 1}: "a.ts:2:1", {11, 6}: "a.ts:2:6",
		{12, 1}: "a.ts:3:6",
	} {
		p, ok := m.At(place[0], place[1])
		got := ""
		if ok {
			got = fmt.Sprintf("%s:%d:%d", strings.TrimPrefix(p.File, "/srv/dist/"), p.Line, p.Column)
		}
		if got != want {
			t.Errorf("%v: %q, want %q", place, got, want)
		}
	}
	if got := m.NameAt(10, 5) + m.NameAt(1, 11); got != "nn" {
		t.Errorf("names %q", got)
	}
}

func TestLongTexts(t *testing.T) {
	long := strings.Repeat("世", 2000)
	m := parse(t, `{"version":3,"sources":["/`+long+`"],"names":["`+long+`"],"mappings":"AAAAA"}`)
	p, _ := m.At(1, 1)
	if name := m.NameAt(1, 1); len(p.File) != 4096 || p.File != "/"+long[:4095] || name != long[:1023] {
		t.Errorf("a path of %d bytes, a name of %d", len(p.File), len(name))
	}
}

// sectionText is the JSON of a section that begins at a line.
func sectionText(line int, m string) string {
	return fmt.Sprintf(`{"offset":{"line":%d,"column":0},"map":%s}`, line, m)
}

func TestBroken(t *testing.T) {
	of := func(mappings string) string {
		return `{"version":3,"sources":["a"],"names":["n"],"mappings":"` + mappings + `"}`
	}
	indexed := func(sections ...string) string {
		return `{"version":3,"sections":[` + strings.Join(sections, ",") + `]}`
	}
	deep := plain
	for range 5 {
		deep = indexed(sectionText(0, deep))
	}
	for _, c := range []struct {
		name, text, want string
		large            bool
	}{
		{"empty", "", "unexpected end of JSON input", false},
		{"a page", "<!DOCTYPE html>", "invalid character '<'", false},
		{"cut off", plain[:40], "unexpected end", false},
		{"version 2", `{"version":2,"mappings":""}`, "version is not 3", false},
		{"no version", `{"mappings":""}`, "version is not 3", false},
		{"nothing", `{"version":3}`, "neither mappings nor sections", false},
		{"no digit", of("AAA!"), "mappings, byte 3, generated line 1: '!' is not a base64 digit", false},
		{"cut number", of("AAAg"), "a number is cut off", false},
		{"two numbers", of(";;AA"), "mappings, byte 4, generated line 3: a segment of 2 numbers", false},
		{"six numbers", of("AAAAAA"), "more than 5 numbers", false},
		{"long number", of("AAggggggggA"), "more than 7 digits", false},
		{"33 bits", of("AA//////HA"), "more than 32 bits", false},
		{"no such source", of("ACAA"), "source 1, the last is 0", false},
		{"negative source", of("ADAA"), "source -1", false},
		{"no such name", of("AAAAC"), "name 1, the last is 0", false},
		{"negative line", of("AADA"), "line -1", false},
		{"negative column", of("AAAD"), "column -1", false},
		{"negative generated column", of("D"), "generated column -1", false},
		{"sources that are none", `{"version":3,"sources":[7],"mappings":""}`, "cannot unmarshal number", false},
		{"section without a map", indexed(`{"offset":{"line":0,"column":0},"url":"x.map"}`), "section 0 has no map",
			false},
		{"null section", indexed(`{"offset":{"line":0,"column":0},"map":null}`), "section 0: version is not 3", false},
		{"broken section", indexed(sectionText(0, plain), sectionText(5, of("!"))),
			"section 1: mappings, byte 0, generated line 6", false},
		{"sections in disorder", indexed(sectionText(5, plain), sectionText(2, plain)),
			"section 0: it begins before", false},
		{"negative section", indexed(sectionText(-1, plain)), "section 0", false},
		{"sections in sections", deep, "3 deep", true},
		{"many sections", indexed(strings.Repeat(sectionText(0, "{}")+",", maxSections) + sectionText(0, "{}")),
			"more than 4096 sections", true},
		{"many sources", `{"version":3,"sources":["a"` + strings.Repeat(`,""`, maxEntries) + `],"mappings":""}`,
			"more than 1048576 sources", true},
		{"long sources", `{"version":3,"sourceRoot":"` + strings.Repeat("x", 1<<20) + `","sources":["a"` +
			strings.Repeat(`,"a"`, 100) + `],"mappings":""}`,
			"sources of more than 67108864 bytes", true},
		{"lines of what was minified, by webpack 5.113.0", `{"version":3,"file":"main.js","mappings":";AAEA",` +
			`"sources":["webpack:///./src/main.js","webpack:///./src/a.js"],"names":[],"sourceRoot":""}`,
			"mappings: 1, of 2 sources", false},
		{"many segments", of(strings.Repeat(",", maxSegments)), "8388609 segments, at most 8388608", true},
		{"many lines", of(strings.Repeat(";", maxLines+1)), "more than 4194304 lines", true},
		{"many bytes", strings.Repeat(" ", MaxBytes+1), "67108865 bytes, at most 67108864", true},
	} {
		_, err := Parse([]byte(c.text), "/x.map")
		if err == nil || !strings.Contains(err.Error(), c.want) || errors.Is(err, ErrTooLarge) != c.large {
			t.Errorf("%s: %v, want %q, too large %v", c.name, err, c.want, c.large)
		}
	}
}

func FuzzParse(f *testing.F) {
	indexed := `{"version":3,"sections":[{"offset":{"line":1,"column":2},"map":` + plain + `}]}`
	for _, s := range []string{plain, ")]}'\n" + plain, indexed} {
		f.Add([]byte(s), 1, 1)
	}
	f.Fuzz(func(t *testing.T, b []byte, line, column int) {
		m, err := Parse(b, "/srv/x.map")
		if err != nil {
			return
		}
		if m.Size() > 64*len(b)+64+4*maxLines {
			t.Errorf("%d bytes of memory for a map of %d", m.Size(), len(b))
		}
		if p, ok := m.At(line, column); ok && (p.File == "" || p.Line < 1 || p.Column < 1) {
			t.Errorf("%d:%d: %+v", line, column, p)
		}
		m.NameAt(line, column)
	})
}

func TestInline(t *testing.T) {
	const text = `{"version":3,"é":"世"}`
	b64 := base64.StdEncoding.EncodeToString([]byte(text))
	for _, u := range []string{
		"data:application/json;base64," + b64,
		"data:application/json;charset=utf-8;base64," + b64,
		"DATA:application/json;charset=\"UTF-8\";BASE64," + b64,
		"data:;base64," + strings.TrimRight(b64, "="),
		"data:;base64," + base64.URLEncoding.EncodeToString([]byte(text)),
		"data:application/json," + strings.NewReplacer("\"", "%22", "é", "%C3%A9", "世", "%e4%b8%96").Replace(text),
		"data:application/json;charset=utf8," + text,
	} {
		got, err := Inline(u)
		if err != nil || string(got) != text {
			t.Errorf("%s: %q, %v", u, got, err)
		}
	}
	if got, err := Inline("data:;charset=iso-8859-1;base64,6Q=="); err != nil || string(got) != "é" {
		t.Errorf("Latin-1: %q, %v", got, err)
	}
	for u, want := range map[string]string{
		"data:application/json;base64":   "without a comma",
		"x.map,":                         "without a comma",
		"data:;base64,*":                 "illegal base64",
		"data:,%zz":                      "invalid URL escape",
		"data:;charset=utf-16;base64,AA": `charset "utf-16" is not known`,
	} {
		if _, err := Inline(u); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", u, err, want)
		}
	}
}
