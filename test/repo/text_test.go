package repo

import (
	"bytes"
	"regexp"
	"strings"
	"testing"
)

// forbidden is what no file may contain. The texts are concatenated here, so that this file does not contain them.
var forbidden = []struct {
	why  string
	text *regexp.Regexp
}{
	{"unfinished work: finish it or leave it out", words("TO"+"DO", "FIX"+"ME")},
	{"the host of a package registry: the user's settings choose the registry", words(
		`registry\.`+`npmjs\.org`, `registry\.`+`yarnpkg\.com`, `proxy\.`+`golang\.org`, `sum\.`+`golang\.org`,
		`deb\.`+`debian\.org`, `archive\.`+`ubuntu\.com`, `nodejs\.org/`+`dist`)},
	{"the URL of a package: npm takes the host from its settings and checks the hash",
		regexp.MustCompile(`"reso` + `lved":`)},
	{"a path that exists on one machine only",
		regexp.MustCompile(`(?:^|[\s"'(=:,])/(?:ro` + `ot|wo` + `rk|ho` + `me)/[\w.]`)},
}

func words(any ...string) *regexp.Regexp {
	return regexp.MustCompile(`\b(?:` + strings.Join(any, "|") + `)\b`)
}

func TestText(t *testing.T) {
	for _, name := range files(t) {
		b := read(t, name)
		if !isText(b) {
			continue
		}
		for i, line := range bytes.Split(b, []byte("\n")) {
			for _, f := range forbidden {
				if m := f.text.Find(line); m != nil {
					t.Errorf("%s:%d: %q is %s", name, i+1, m, f.why)
				}
			}
		}
	}
}

// TestForbidden: the rule can be broken, and not by what looks like it.
func TestForbidden(t *testing.T) {
	for text, bad := range map[string]bool{
		"// TO" + "DO: x":                       true,
		"fixme later, todo":                     false,
		"https://registry." + "npmjs.org/x":     true,
		`"reso` + `lved": "x"`:                  true,
		`open("/ro` + `ot/.cache/x")`:           true,
		"in /wo" + "rk/main":                    true,
		`"/proc/%d/root/"`:                      false,
		"GET /work HTTP/1.1":                    false,
		"the root/of it, home/work":             false,
		"https://go.dev/dl":                     false,
		"/proc/7/root/usr/bin/node":             false,
		"file:" + "///ho" + "me/someone/a.js":   false, // a URL: fixtures have such
		"path: /ho" + "me/someone/app/index.js": true,
	} {
		found := false
		for _, f := range forbidden {
			found = found || f.text.MatchString(text)
		}
		if found != bad {
			t.Errorf("%q: forbidden %v, want %v", text, found, bad)
		}
	}
}
