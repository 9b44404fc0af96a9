package functions

import (
	"testing"
	"unicode/utf16"
)

// In each text | stands where V8 says that the function starts, and where it ends.
func TestKeptName(t *testing.T) {
	for _, c := range []struct{ before, behind, name string }{
		{`const a=__name(`, `,"a");`, "a"},
		{`var a = /* @__PURE__ */ __name(`, `, "b c");`, "b c"},
		{`x=__name(function`, `,"世界")`, "世界"},
		{`x=__name2(async function*`, `,"a")`, "a"},
		{`(/* @__PURE__ */ __name((async `, `), "a"))`, "a"},
		{`__name(function *`, `,"a")`, "a"},

		{`name(`, `,"a")`, ""},
		{`my__name(`, `,"a")`, ""},
		{`b.__name(`, `,"a")`, ""},
		{`__name(b=>`, `,"a")`, ""},
		{`__name(b,`, `,"a")`, ""},
		{`__name(`, `,a)`, ""},
		{`__name(`, `,"a"+b)`, ""},
		{`__name(`, `.bind(b),"a")`, ""},
		{`__name((`, `,"a"))`, ""},
		{`__name(`, `,"a\n")`, ""},
		{`__name(`, `,"a`, ""},
		{``, ``, ""},
	} {
		got := ""
		if depth := helperDepth(utf16.Encode([]rune(c.before))); depth > 0 {
			got = secondArgument(utf16.Encode([]rune(c.behind)), depth)
		}
		if got != c.name {
			t.Errorf("%s…%s: %q, want %q", c.before, c.behind, got, c.name)
		}
	}
}
