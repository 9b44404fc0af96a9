package terminal

import (
	"strings"
	"testing"
)

// TestFit: tables have straight columns, whatever is in them. East Asian characters take two columns each, as Unicode
// says (UAX 11), and a mark above a letter none.
func TestFit(t *testing.T) {
	for _, c := range []struct {
		text       string
		width      int
		start, end string
	}{
		{"work", 6, "work  ", "work  "},
		{"名前", 6, "名前  ", "名前  "},
		{"cafe\u0301", 6, "cafe\u0301  ", "cafe\u0301  "},
		{"readFileSync", 6, "readF…", "…eSync"},
		{"名前の関数", 6, "名前… ", "…関数 "},
	} {
		if got := Fit(c.text, c.width); got != c.start {
			t.Errorf("%q has %q at its start, want %q", c.text, got, c.start)
		}
		if got := FitEnd(c.text, c.width); got != c.end {
			t.Errorf("%q has %q at its end, want %q", c.text, got, c.end)
		}
	}
}

// TestShortFile: a name of any length leaves a line that can be read.
func TestShortFile(t *testing.T) {
	for name, want := range map[string]string{
		"/app/src/routes/orders.js":              "routes/orders.js",
		"/app/node_modules/express/lib/index.js": "express/lib/index.js",
		"node:internal/timers":                   "node:internal/timers",
		"/" + strings.Repeat("x", 3000) + ".js":  "…" + strings.Repeat("x", longestFile-3) + ".js",
		"/" + strings.Repeat("名", 3000) + ".js":  "…" + strings.Repeat("名", 39) + ".js",
	} {
		if got := ShortFile(name); got != want {
			t.Errorf("%.40s is %s, want %s", name, got, want)
		}
	}
}
