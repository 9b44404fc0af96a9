package resource

import (
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
