package naming

import (
	"strings"
	"testing"
	"unicode/utf16"
)

// In each text | is where V8 says that the function starts, and ^ stands before the identifier to be found.
var namings = []struct{ text, name string }{
	{"function ^a|(t){}", "a"},
	{"async function ^a|(t){}", "a"},
	{"function*^a|(t){}", "a"},
	{"function ^a /* why ( */ |(t){}", "a"},
	{"x=function ^inner|(t){}", "inner"},
	{"const ^a=function|(t){}", "a"},
	{"const ^a = async function |(t){}", "a"},
	{"const ^a=function*|(t){}", "a"},
	{"var b=1,^a=|t=>t", "a"},
	{"let ^a = |(t)=>t", "a"},
	{"^a=|async t=>t", "a"},
	{"^a||=|t=>t", "a"},
	{"^a??=|t=>t", "a"},
	{"({^a:function|(){}})", "a"},
	{"({b:1,^a:|t=>t})", "a"},
	{"({^a|(){}})", "a"},
	{"({async*^a|(){}})", "a"},
	{"class x{static ^a|(){}}", "a"},
	{"class x{get ^a|(){}}", "a"},
	{"class x{^#a|(){}}", "#a"},
	{"class x{^a=|()=>1}", "a"},
	{"class ^a{constructor|(t){}}", "a"},
	{"class ^a extends b.c{m(){if(x){}}constructor|(t){}}", "a"},
	{"class ^a\n{ constructor |(t){}}", "a"},
	{"^a=class{constructor|(t){}}", "a"},
	{"^a=class extends b{f={};constructor|(t){}}", "a"},
	{"x=class ^a{constructor|(t){}}", "a"},
	{"class a{m(){return class ^a{constructor|(t){}}}}", "a"},
	{"|class ^a{}", "a"},
	{"^a=|class{}", "a"},
	{"^a=|class extends b{}", "a"},
	{"function ^世界|(){}", "世界"},
	{"\"😀\";function ^a|(){}", "a"},

	// V8's name is from elsewhere, or the place is not sure.
	{"x.a=function|(){}", "a"},
	{"x.a=function|(){}", "x.a"},
	{"b(function|(){})", "a"},
	{"a(|t=>t)", "a"},
	{"a==|t=>t", "a"},
	{"a=>|t=>t", "a"},
	{"b=|t=>t", "a"},
	{"ba=|t=>t", "a"},
	{"function ab|(t){}", "a"},
	{"return |t=>t", "a"},
	{"a=b*|(t)=>t", "a"},
	{"class b{constructor|(t){}}", "a"},
	{"class b extends a{constructor|(t){}}", "a"},
	{"class a extends f(b){constructor|(t){}}", "a"},
	{"class a{m(){return {constructor|(t){}}}}", "a"},
	{"x.a=class{constructor|(t){}}", "a"},
	{"|class b{}", "a"},
	{"['a']|(){}", "a"},
	{"|(t)=>t", "a"},
}

func TestIdentifier(t *testing.T) {
	for _, c := range namings {
		before, after := cutLast(strings.Replace(c.text, "^", "", 1), "|")
		start := len(utf16.Encode([]rune(before)))
		want := -1
		if i := strings.IndexRune(c.text, '^'); i >= 0 {
			want = len(utf16.Encode([]rune(c.text[:i])))
			if want > start {
				want-- // the mark of the start was counted
			}
		}
		got, _ := Identifier(utf16.Encode([]rune(before+after)), start, utf16.Encode([]rune(c.name)))
		if got != want {
			t.Errorf("%s: %d, want %d", c.text, got, want)
		}
	}
}

func TestNameless(t *testing.T) {
	for before, want := range map[string]bool{"x(function": true, "async function": true, "function": true,
		"function ": false, "function*": false, "function a": false, "myfunction": false, "": false, "a=": false} {
		u := utf16.Encode([]rune(before + "(e){}"))
		if got := Nameless(u, len(before)); got != want {
			t.Errorf("%s: %v", before, got)
		}
	}
}

func cutLast(s, sep string) (before, after string) {
	i := strings.LastIndex(s, sep)
	return s[:i], s[i+len(sep):]
}

// TestIdentifierFurtherUp: a constructor whose class begins before the text asks for more of it.
func TestIdentifierFurtherUp(t *testing.T) {
	for text, want := range map[string]bool{"m(){}constructor": true, "class a{constructor": false,
		"function a": false} {
		u := utf16.Encode([]rune(text))
		if _, more := Identifier(u, len(u), []uint16{'a'}); more != want {
			t.Errorf("%s: more %v", text, more)
		}
	}
}

func FuzzNameToken(f *testing.F) {
	for _, c := range namings {
		before, after := cutLast(strings.Replace(c.text, "^", "", 1), "|")
		f.Add(before, after, c.name)
	}
	f.Add("*/", "", "a")
	f.Add("/*/", "class", "")
	f.Fuzz(func(t *testing.T, before, after, name string) {
		b, a, n := utf16.Encode([]rune(before)), utf16.Encode([]rune(after)), utf16.Encode([]rune(name))
		at, _ := Identifier(append(b, a...), len(b), n)
		if at >= 0 && at+len(n) > len(a)+len(b) {
			t.Errorf("%q: %d", name, at)
		}
	})
}
