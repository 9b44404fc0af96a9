package pprof

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/hotspan/hotspan/pprofx"
)

const serviceName = "service.name"

// aboutOf returns what a process says of itself, as " KEY=VALUE" one after the other. A string that may be taken for
// something else is quoted.
func aboutOf(p pprofx.Process) string {
	var b strings.Builder
	if p.Service != "" {
		fmt.Fprintf(&b, " %s=%s", serviceName, quoted(p.Service))
	}
	for _, l := range p.Attributes {
		if l.Str != "" {
			fmt.Fprintf(&b, " %s=%s", quoted(l.Key), quoted(l.Str))
		} else {
			fmt.Fprintf(&b, " %s=%d", quoted(l.Key), l.Num)
		}
	}
	return b.String()
}

func quoted(s string) string {
	_, err := strconv.ParseInt(s, 10, 64)
	if err == nil || s == "" || strings.ContainsAny(s, " =\"\\") || strconv.Quote(s) != `"`+s+`"` {
		return strconv.Quote(s)
	}
	return s
}

// readAbout is the reverse of aboutOf. What it cannot read, as where text is missing, it leaves out.
func readAbout(text string) (p pprofx.Process) {
	for text = strings.TrimLeft(text, " "); text != ""; text = strings.TrimLeft(text, " ") {
		key, rest, _ := readToken(text, "= ")
		if !strings.HasPrefix(rest, "=") {
			text = rest
			continue
		}
		value, rest, plain := readToken(rest[1:], " ")
		text = rest
		l := pprofx.Label{Key: key, Str: value}
		if n, err := strconv.ParseInt(value, 10, 64); err == nil && plain {
			l.Str, l.Num = "", n
		}
		if key == serviceName && p.Service == "" {
			p.Service = value
		} else {
			p.Attributes = append(p.Attributes, l)
		}
	}
	return p
}

// readToken returns a quoted string, or the text before any of some characters, and what follows.
func readToken(text, end string) (token, rest string, plain bool) {
	if q, err := strconv.QuotedPrefix(text); err == nil && q[0] == '"' {
		token, _ = strconv.Unquote(q) // QuotedPrefix has seen that it can
		return token, text[len(q):], false
	}
	if i := strings.IndexAny(text, end); i >= 0 {
		return text[:i], text[i:], true
	}
	return text, "", true
}
