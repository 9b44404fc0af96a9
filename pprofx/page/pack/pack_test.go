package main

import (
	"compress/gzip"
	"io"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

func unpacked(t *testing.T, name string) string {
	t.Helper()
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	r, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestGenerated: the page that is committed is that of the folder app.
func TestGenerated(t *testing.T) {
	name := filepath.Join(t.TempDir(), "page.html.gz")
	if err := pack(name, os.DirFS("../app")); err != nil {
		t.Fatal(err)
	}
	text := unpacked(t, name)
	if text != unpacked(t, "../page.html.gz") {
		t.Error("page.html.gz is not that of the folder app: run go generate ./pprofx/page")
	}
	if n := strings.Count(text, "\x00"); n != 1 {
		t.Errorf("%d places for data, want 1", n)
	}
}

func TestPackErrors(t *testing.T) {
	name := filepath.Join(t.TempDir(), "x")
	if err := pack(name, os.DirFS(t.TempDir())); err == nil || !strings.Contains(err.Error(), "page.css") {
		t.Error(err)
	}
	if _, err := os.Stat(name); err == nil {
		t.Error("a page without style is written")
	}
}

// unsafe are ways by which a script reads a text as HTML or as a program, or asks a server.
var unsafe = regexp.MustCompile(`innerHTML|outerHTML|insertAdjacentHTML|document\.write|DOMParser|\beval\b|` +
	`new Function\(|XMLHttpRequest|` +
	`WebSocket|EventSource|sendBeacon|\bfetch\(|import\(|createContextualFragment|https?://`)

// TestModules: the modules read nothing as HTML and ask nobody, and all of them are on the page.
func TestModules(t *testing.T) {
	entries, err := os.ReadDir("../app")
	if err != nil {
		t.Fatal(err)
	}
	file := func(name string) string {
		text, err := os.ReadFile("../app/" + name)
		if err != nil {
			t.Error(err)
		}
		return string(text)
	}
	script := bundle("main.js", file)
	for _, e := range entries {
		name := e.Name()
		if m := unsafe.FindString(file(name)); m != "" {
			t.Errorf("app/%s uses %s", name, m)
		}
		if path.Ext(name) == ".js" && !strings.Contains(script, "const "+variable(name)+" = ") {
			t.Errorf("no module imports app/%s", name)
		}
	}
	for _, left := range []string{"\nimport ", "\nexport "} {
		if strings.Contains(script, left) {
			t.Errorf("the script still has %q", left)
		}
	}
}

func TestBundle(t *testing.T) {
	files := map[string]string{
		"main.js": "import {a} from \"./one.js\"\nimport {\n    b, c,\n} from \"./two.js\"\n\na(b, c)\n",
		"one.js":  "import {b} from \"./two.js\"\n\nconst x = 1\nexport function a() {}\n",
		"two.js":  "const x = 2\nexport const b = x\nexport class c {}\n",
	}
	want := `const module_two = (() => {
const x = 2
const b = x
class c {}
return {b, c}
})()
const module_one = (() => {
const {b} = module_two

const x = 1
function a() {}
return {a}
})()
const module_main = (() => {
const {a} = module_one
const {
    b, c,
} = module_two

a(b, c)
return {}
})()
`
	if got := bundle("main.js", func(name string) string { return files[name] }); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
