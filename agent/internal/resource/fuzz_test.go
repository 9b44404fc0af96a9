package resource

import (
	"path"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// FuzzAttributes: whatever a process has in its environment, there are few attributes, and each is a short text.
func FuzzAttributes(f *testing.F) {
	f.Add("service.name=till, service.version=1%2C2,x,=y,z=,process.pid=1")
	f.Add("a=%ff,b=%zz,\xff=c,d==e")
	f.Add(strings.Repeat("a=b,", maxAttributes+1))
	f.Fuzz(func(t *testing.T, text string) {
		all := attributes(text)
		if len(all) > maxAttributes {
			t.Errorf("%d attributes", len(all))
		}
		for _, l := range all {
			if l.Key == "" || l.Str == "" || len(l.Key) > maxLength || len(l.Str) > maxLength ||
				!utf8.ValidString(l.Key) || !utf8.ValidString(l.Str) {
				t.Errorf("%q = %q", l.Key, l.Str)
			}
		}
	})
}

// FuzzScriptOf: the script of a process is one of its arguments.
func FuzzScriptOf(f *testing.F) {
	f.Add("node\x00--inspect\x00-r\x00a.js\x00app.js")
	f.Add("node\x00--\x00-odd.js")
	f.Add("node\x00-r")
	f.Add("node\x00-e\x001")
	f.Fuzz(func(t *testing.T, text string) {
		arguments := strings.Split(text, "\x00")
		got := scriptOf(arguments)
		is := func(a string) bool { return got == a || got == path.Clean(a) }
		if !slices.ContainsFunc(append(arguments, ""), is) {
			t.Errorf("%q: %q", arguments, got)
		}
	})
}
