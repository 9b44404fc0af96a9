package naming

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
		depth, helper := HelperCall(utf16.Encode([]rune(c.before)))
		if depth > 0 && IsHelper(helper) {
			got = SecondArgument(c.behind, depth)
		}
		if got != c.name {
			t.Errorf("%s…%s: %q, want %q", c.before, c.behind, got, c.name)
		}
	}
}

// TestMinifiedHelper: esbuild 0.28 writes these with --minify --keep-names, and without --minify-whitespace.
func TestMinifiedHelper(t *testing.T) {
	for _, c := range []struct{ text, helper string }{
		{`var i=Object.defineProperty;var r=(t,e)=>i(t,"name",{value:e,configurable:!0});`, "r"},
		{`var $r = (t, e) => i(t, "name", { value: e, configurable: true });`, "$r"},
		{`r=(t,e)=>i(t,"name",{value:t,configurable:!0})`, ""},
		{`r=(t,e)=>i(t,"length",{value:e,configurable:!0})`, ""},
		{`r=(t,e)=>i(t,"name",{value:e,enumerable:!0})`, ""},
	} {
		if got := DefinedHelper(c.text); got != c.helper {
			t.Errorf("%s: %q, want %q", c.text, got, c.helper)
		}
	}
	for _, c := range []struct{ text, helper, name string }{
		{`r(f,"declared");let x`, "r", "declared"},
		{"\nr(f, \"declared\");", "r", "declared"},
		{`r(ff,"declared")`, "r", ""},
		{`,r(f,"declared")`, ",r", "declared"}, // the helper is not called so
		{`r(f,"a","b")`, "r", ""},
		{`(f,"a")`, "", ""},
		{`}`, "", ""},
	} {
		helper, name := CallBehind(c.text, "f")
		if helper != c.helper || name != c.name {
			t.Errorf("%s: %q, %q, want %q, %q", c.text, helper, name, c.helper, c.name)
		}
	}
}
