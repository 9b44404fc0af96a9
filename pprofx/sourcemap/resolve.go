package sourcemap

import (
	"net/url"
	"path"
	"strconv"
	"strings"
)

// resolve resolves a reference against base, which is a URL or a name without a folder, like new URL(ref, base).
func resolve(base, ref string) string {
	scheme, rest, absolute := cutScheme(ref)
	switch {
	case absolute && !strings.HasPrefix(rest, "//"):
		return ref // opaque, such as data: or node:fs
	case absolute:
		host, p := cutHost(rest)
		return scheme + host + clean(p)
	}
	scheme, rest, absolute = cutScheme(base)
	host := ""
	switch {
	case absolute && !strings.HasPrefix(rest, "//"): // of a module that is a data: URL
		return clean(ref)
	case absolute:
		host, rest = cutHost(rest)
	}
	switch {
	case strings.HasPrefix(ref, "//") && absolute:
		host, ref = cutHost(ref)
		return scheme + host + clean(ref)
	case strings.HasPrefix(ref, "/"):
		return scheme + host + clean(ref)
	}
	dir := rest[:strings.LastIndexByte(rest, '/')+1]
	return scheme + host + clean(dir+ref)
}

// cutScheme splits the scheme, with its colon, from a URL. A single letter is a Windows drive, not a scheme.
func cutScheme(s string) (scheme, rest string, ok bool) {
	i := strings.IndexByte(s, ':')
	if i < 2 {
		return "", s, false
	}
	for n, c := range []byte(s[:i]) {
		letter := c|0x20 >= 'a' && c|0x20 <= 'z'
		if !letter && (n == 0 || !(c >= '0' && c <= '9') && !strings.ContainsRune("+-.", rune(c))) {
			return "", s, false
		}
	}
	return s[:i+1], s[i+1:], true
}

// cutHost splits what follows a scheme into the slashes with the host, and the path.
func cutHost(s string) (host, p string) {
	if i := strings.IndexByte(s[2:], '/'); i >= 0 {
		return s[:i+2], s[i+2:]
	}
	return s, ""
}

// clean removes "." and ".." from a path, and keeps a slash at its end.
func clean(p string) string {
	if p == "" {
		return ""
	}
	out := path.Clean(p)
	if strings.HasSuffix(p, "/") && !strings.HasSuffix(out, "/") {
		out += "/"
	}
	return out
}

// readable returns how to show a source: the path of a file, or else the URL, such as webpack://app/src/a.ts.
func readable(source string) string {
	scheme, rest, ok := cutScheme(source)
	switch {
	case !ok:
		return unescape(source)
	case scheme == "file:" && strings.HasPrefix(rest, "//"):
		_, p := cutHost(rest)
		return unescape(p)
	}
	return source
}

// unescape decodes percent-encoding. A percent sign that begins no valid escape stays.
func unescape(s string) string {
	if !strings.Contains(s, "%") {
		return s
	}
	out := make([]byte, 0, len(s))
	for i := 0; i < len(s); i++ {
		if s[i] == '%' && i+2 < len(s) {
			if c, err := strconv.ParseUint(s[i+1:i+3], 16, 8); err == nil {
				out = append(out, byte(c))
				i += 2
				continue
			}
		}
		out = append(out, s[i])
	}
	return string(out)
}

// toURL returns the URL of an absolute path, so that resolve reads no character of a path as URL syntax.
func toURL(s string) string {
	if !path.IsAbs(s) {
		return s
	}
	return "file://" + (&url.URL{Path: s}).EscapedPath()
}
