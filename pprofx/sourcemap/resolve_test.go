package sourcemap

import (
	"errors"
	"strings"
	"testing"
)

// TestResolve: what JavaScript's new URL(ref, base) says.
func TestResolve(t *testing.T) {
	const script = "file:///srv/app/dist/x.js.map"
	for _, c := range [][3]string{
		{script, "../src/a.ts", "file:///srv/app/src/a.ts"},
		{script, "a.ts", "file:///srv/app/dist/a.ts"},
		{script, "/abs/a.ts", "file:///abs/a.ts"},
		{script, "./b/../a%20b.ts", "file:///srv/app/dist/a%20b.ts"},
		{script, "../../../../../a.ts", "file:///a.ts"},
		{script, "file:///other/a.ts", "file:///other/a.ts"},
		{script, "webpack://app/./src/a.ts", "webpack://app/src/a.ts"},
		{script, "webpack:///./src/a.ts?1f2e", "webpack:///src/a.ts?1f2e"},
		{script, "https://h.example/x/../a.ts", "https://h.example/a.ts"},
		{"https://h.example/dist/x.js", "../src/a.ts", "https://h.example/src/a.ts"},
		{"https://h.example/dist/x.js", "/a.ts", "https://h.example/a.ts"},
		{"https://h.example/dist/x.js", "//other.example/a.ts", "https://other.example/a.ts"},
		{script, "node:fs", "node:fs"},
		{"webpack-internal:///./src/x.js", "y.ts", "webpack-internal:///src/y.ts"},
		// It is an error there: what is opaque has no folder.
		{"data:text/javascript,a/b", "src/a.ts", "src/a.ts"},
		{"data:text/javascript,a/b", "/src/./a.ts", "/src/a.ts"},
	} {
		if got := resolve(c[0], c[1]); got != c[2] {
			t.Errorf("%s in %s: %s, want %s", c[1], c[0], got, c[2])
		}
	}
}

func TestFile(t *testing.T) {
	const script = "/srv/app/dist/x.js"
	for _, c := range []struct{ script, u, want string }{
		{script, "x.js.map", "/srv/app/dist/x.js.map"},
		{script, "../maps/x.js.map?v=1#2", "/srv/app/maps/x.js.map"},
		{script, "/maps/x.js.map", "/maps/x.js.map"},
		{script, "file:///maps/a%20b.map", "/maps/a b.map"},
		{script, "file://localhost/maps/x.map", "/maps/x.map"},
		{script, "../../../../../../etc/x.map", "/etc/x.map"},
		{"/srv/100% #1?/x.js", "x%20y.map", "/srv/100% #1?/x y.map"},
		{"/srv/%41/x.js", "x.map", "/srv/%41/x.map"},
		{"file:///srv/a%20b/x.mjs", "x.map", "/srv/a b/x.map"},
		{"[eval]", "/maps/x.map", "/maps/x.map"},
		{"data:text/javascript,a/b", "/maps/x.map", "/maps/x.map"},
	} {
		if got, err := File(c.script, c.u); err != nil || got != c.want {
			t.Errorf("%s in %s: %q, %v, want %q", c.u, c.script, got, err, c.want)
		}
	}
	for _, c := range []struct {
		script, u, want string
		remote          bool
	}{
		{script, "https://h.example/x.map", "on a server", true},
		{script, "HTTP://h.example/x.map", "on a server", true},
		{script, "//h.example/x.map", "on a server", true},
		{script, "file://h.example/x.map", "on a server", true},
		{"https://h.example/x.js", "x.map", "on a server", true},
		{"evalmachine.<anonymous>", "x.map", "is in no file", false},
		{"eval", "../x.map", "is in no file", false},
		{"webpack-internal:///x.js", "x.map", "scheme webpack-internal:", false},
		{script, "blob:abc", "scheme blob:", false},
		{script, "a%00b.map", "no path", false},
	} {
		_, err := File(c.script, c.u)
		if err == nil || !strings.Contains(err.Error(), c.want) || errors.Is(err, ErrRemote) != c.remote {
			t.Errorf("%s in %s: %v, want %q", c.u, c.script, err, c.want)
		}
	}
}

func FuzzReference(f *testing.F) {
	f.Add("/srv/x.js", "x.js.map")
	f.Add("file:///srv/x.js", "data:application/json;charset=utf-8;base64,e30=")
	f.Add("webpack:///x", "//h")
	f.Fuzz(func(t *testing.T, script, u string) {
		if p, err := File(script, u); err == nil && (!strings.HasPrefix(p, "/") || strings.Contains(p, "/../")) {
			t.Errorf("%q in %q: %q", u, script, p)
		}
		Inline(u)
		readable(resolve(toURL(script), u))
	})
}
