package sourcemap

import (
	"os"
	"strings"
	"testing"

	"github.com/hotspan/hotspan/pprofx"
)

// TestNamesFromSources: a page as Next.js 16.4.6 builds it. Its map has names for what the page imports, and none for
// what the page declares.
func TestNamesFromSources(t *testing.T) {
	text, err := os.ReadFile("testdata/next/page.js")
	if err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile("testdata/next/page.js.map")
	if err != nil {
		t.Fatal(err)
	}
	m := parse(t, string(b))
	frame := func(code, name string) string {
		at := strings.Index(string(text), code) + strings.Index(code, " ") + 2
		f := js(name, 1, at, named(1, at))
		return Apply(&pprofx.Snapshot{Frames: []*pprofx.Frame{f}}, map[int32]Script{1: {Map: m}}).Frames[0].Function
	}
	for _, c := range []struct{ code, name, want string }{
		{"function c(a,b)", "c", "burnServer"}, // the map's own name
		{"function d({id:a})", "d", "Inner"},
		{"function e({params:a})", "e", "Page"},
		{"function d({id:a})", "run", "run"}, // no minifier calls it so
	} {
		if got := frame(c.code, c.name); got != c.want {
			t.Errorf("%s, called %s: %q, want %q", c.code, c.name, got, c.want)
		}
	}
}

func readText(text string) *sourceText {
	t := &sourceText{}
	t.read(text, maxLines)
	return t
}

func TestDeclared(t *testing.T) {
	for _, c := range []struct{ text, at, want string }{
		{"export async function GET(r) {}", "GET", "GET"},
		{"function* walk() {}", "walk", "walk"},
		{"function *walk() {}", "walk", "walk"},
		{"const POST: Handler = async r => {}", "POST", "POST"},
		{"let é = 1; class Été$1 extends A {}", "Été", "Été$1"},
		{"/* 😀 */ var x = 1", "x", "x"},
		{"first\nfunction second() {}", "second", "second"},
		{"first\r\nfunction second() {}", "second", "second"},
		{"export default request => {}", "request", ""},
		{"f(function (a) {})", "(a", ""},
		{"x = a * b", "b", ""},
		{"myfunction foo", "foo", ""},
		{"_class foo", "foo", ""},
		{"export default function() {}", "function", ""},
		{"function\nfoo() {}", "foo", ""},
		{"a\u2028function foo() {}", "foo", ""},
		{"a\rfunction foo() {}", "foo", ""},
		{strings.Repeat("é", maxColumn) + " var x", "x", ""},
	} {
		i := strings.Index(c.text, c.at)
		line := strings.Count(c.text[:i], "\n")
		column := 0
		for _, r := range c.text[strings.LastIndexByte(c.text[:i], '\n')+1 : i] {
			if column++; r >= 0x10000 {
				column++
			}
		}
		if got := readText(c.text).declared(line, column); got != c.want {
			t.Errorf("%q at %q: %q, want %q", c.text, c.at, got, c.want)
		}
	}
	text := readText("var x")
	for _, c := range [][2]int{{0, 5}, {0, 6}, {0, 1 << 30}, {1, 0}, {1 << 30, 4}} {
		if got := text.declared(c[0], c[1]); got != "" {
			t.Errorf("outside of the text, at %v: %q", c, got)
		}
	}
}
