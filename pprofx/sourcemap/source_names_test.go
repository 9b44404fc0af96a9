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
	text, m := built(t, "next/page.js")
	frame := func(code, name string) string {
		at := strings.Index(text, code) + strings.Index(code, " ") + 2
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

func built(t *testing.T, script string) (string, *Map) {
	t.Helper()
	text, err := os.ReadFile("testdata/" + script)
	if err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile("testdata/" + script + ".map")
	if err != nil {
		t.Fatal(err)
	}
	return string(text), parse(t, string(b))
}

// TestInlinedFunctions: Next.js 16.4.6 and Rspack 2.3.4 put functions that are called once where they are called, and
// take their names away. What is in a function tells which one of the source it is.
func TestInlinedFunctions(t *testing.T) {
	for _, c := range []struct{ script, code, name, want string }{
		{"next/inlined.js", "=function(){let e=0,t=performance", "(anonymous)", "handlerSpin"},
		{"next/inlined.js", "!function(e,t,a,i=\"\"){n&&(0,r.append", "(anonymous)", "note"},
		{"rspack/main.js", "!async function(){console.log", "(anonymous)", "main"},
		{"rspack/main.js", "(function(){let t=0;for(let n=0;n<100;n++)t=(31*t+n)%1001", "(anonymous)", "plain"},
		{"rspack/main.js", "async function(){await null;", "(anonymous)", "later"},
		{"rspack/main.js", ",function(t,n=Math.random()){let e=n;", "(anonymous)", "parameters"},
		{"rspack/main.js", ",function({turns:t}){", "(anonymous)", "destructured"},
		{"rspack/main.js", ",function({turns:t}){", "console.turns", "destructured"}, // V8 makes such names up
		{"rspack/main.js", ",function({turns:t}){", "turns", "turns"},                // a name of its own
		{"rspack/main.js", ".map(function(t){", "(anonymous)", "(anonymous)"},        // the source has none either
		{"rspack/main.js", "{#t(t){", "#t", "#hidden"},
		{"rspack/main.js", "{#t(t){", "#own", "#own"},
	} {
		text, m := built(t, c.script)
		at := strings.Index(text, c.code)
		if at < 0 {
			t.Fatalf("%s has no %s", c.script, c.code)
		}
		if i := strings.Index(c.code, "function"); i >= 0 {
			at += i + len("function")
		} else {
			at++
		}
		f := js(c.name, 1, at+1, named(1, at+1))
		got := Apply(&pprofx.Snapshot{Frames: []*pprofx.Frame{f}}, map[int32]Script{1: {Map: m}}).Frames[0].Function
		if got != c.want {
			t.Errorf("%s, %s, called %s: %q, want %q", c.script, c.code, c.name, got, c.want)
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
		{"class A { #own() {} }", "#own", "#own"},
		{"class A { m() { return this.#own() } }", "#own", ""},
		{"#!/usr/bin/env node", "#", ""},
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
		text, got := readText(c.text), ""
		if at := text.offset(line, column); at >= 0 {
			got = text.declared(at)
		}
		if got != c.want {
			t.Errorf("%q at %q: %q, want %q", c.text, c.at, got, c.want)
		}
	}
	text := readText("var x")
	for _, c := range [][2]int{{0, 5}, {0, 6}, {0, 1 << 30}, {1, 0}, {1 << 30, 4}} {
		if got := text.offset(c[0], c[1]); got >= 0 {
			t.Errorf("outside of the text, at %v: %d", c, got)
		}
	}
}

// TestHead: | stands where a segment leads to.
func TestHead(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"export |function spin(ms) {}", "spin"},
		{"export |async function spin(ms) {}", "spin"},
		{"|function spin<T>(ms: T) {}", "spin"},
		{"export function |spin() {}", "spin"},
		{"export default async function |spin() {}", "spin"},
		{"function spin(|ms: number) {}", "spin"},
		{"function spin(|{ ms }: P) {}", "spin"},
		{"async function spin(\n  |ms: number,\n) {}", "spin"},
		{"function spin(\r\n\t|ms) {}", "spin"},
		{"function été(|ms) {}", "été"},
		{"|function (ms) {}", ""},
		{"x = function (|ms) {}", ""},
		{"function spin(|) {}", "spin"},
		{"function spin(a, |ms) {}", ""},
		{"function spin() { |f() }", ""},
		{"const spin = (|ms) => {}", ""},
		{"|spin(20)", ""},
		{"spin(|20)", ""},
		{"return |spin", ""},
		{"myfunction spin(|ms)", ""},
		{"class A { spin(|ms) {} }", ""},
		{"function spin(/* ms */ |ms) {}", ""},
		{"|f", ""},
		{"(|", ""},
	} {
		before, after, _ := strings.Cut(c.text, "|")
		if got := readText(before + after + " ").head(len(before)); got != c.want {
			t.Errorf("%s: %q, want %q", c.text, got, c.want)
		}
	}
}
