package sourcemap

import (
	"encoding/base64"
	"errors"
	"fmt"
	"net/url"
	"path"
	"strings"
)

// ErrRemote means that a map is on a server. Maps are not fetched.
var ErrRemote = errors.New("it is on a server, and maps are not fetched")

// IsInline reports whether the URL of a map contains the map itself (a data: URL).
func IsInline(u string) bool { return len(u) >= 5 && strings.EqualFold(u[:5], "data:") }

// Inline returns the JSON of a map in a data: URL (RFC 2397), as UTF-8. It knows the charsets UTF-8, US-ASCII and
// ISO-8859-1.
func Inline(u string) ([]byte, error) {
	head, data, ok := strings.Cut(u, ",")
	if !IsInline(u) || !ok {
		return nil, errors.New("data: URL without a comma")
	}
	charset, encoded := "utf-8", false
	for i, part := range strings.Split(head[len("data:"):], ";") {
		key, value, _ := strings.Cut(part, "=")
		switch {
		case i > 0 && strings.EqualFold(part, "base64"):
			encoded = true
		case strings.EqualFold(key, "charset"):
			charset = strings.ToLower(strings.Trim(value, `"`))
		}
	}
	text, err := url.PathUnescape(data)
	if err != nil {
		return nil, fmt.Errorf("data: URL: %w", err)
	}
	b := []byte(text)
	if encoded {
		if b, err = decodeBase64(text); err != nil {
			return nil, fmt.Errorf("data: URL: %w", err)
		}
	}
	return toUTF8(b, charset)
}

// decodeBase64 accepts both alphabets, with and without padding.
func decodeBase64(s string) ([]byte, error) {
	s = strings.TrimRight(strings.NewReplacer("-", "+", "_", "/", " ", "", "\n", "").Replace(s), "=")
	return base64.RawStdEncoding.DecodeString(s)
}

func toUTF8(b []byte, charset string) ([]byte, error) {
	switch charset {
	case "utf-8", "utf8", "us-ascii", "ascii":
		return b, nil
	case "iso-8859-1", "latin1":
		out := make([]byte, 0, len(b))
		for _, c := range b {
			out = append(out, string(rune(c))...)
		}
		return out, nil
	}
	return nil, fmt.Errorf("data: URL: charset %q is not known", charset)
}

// File returns the absolute path of a map in a file of its own. script is the path or URL of the script that refers to
// the map as u. The error is ErrRemote for a map on a server.
func File(script, u string) (string, error) {
	if i := strings.IndexAny(u, "?#"); i >= 0 {
		u = u[:i]
	}
	whole := resolve(toURL(script), u)
	scheme, rest, absolute := cutScheme(whole)
	switch {
	case path.IsAbs(whole): // in a script without a file
		rest = whole
	case !absolute:
		return "", errors.New("the script that names it is in no file")
	case strings.EqualFold(scheme, "http:"), strings.EqualFold(scheme, "https:"):
		return "", ErrRemote
	case !strings.EqualFold(scheme, "file:"):
		return "", fmt.Errorf("URLs of scheme %s are not read", scheme)
	}
	host := ""
	if strings.HasPrefix(rest, "//") {
		host, rest = cutHost(rest)
	}
	if host != "" && host != "//" && host != "//localhost" {
		return "", ErrRemote
	}
	p := unescape(rest)
	if !path.IsAbs(p) || strings.ContainsRune(p, 0) {
		return "", fmt.Errorf("%q is no path of a file", p)
	}
	return path.Clean(p), nil
}
