package inspect

import (
	"fmt"
	"slices"
	"strings"

	reqctx "github.com/hotspan/hotspan/context"
	"github.com/hotspan/hotspan/pprofx"
)

// maxRules bounds the suggested rules for one store.
const maxRules = 4

// vague are names that mean nothing without the object that they belong to.
var vague = []string{"id", "name", "type", "key", "value"}

// sentryRoute is where Sentry 11 has the method and the route of a request, or its path while it knows no route.
const sentryRoute = "isolationScope._transactionName"

// Known reports whether hotspan knows what is in the store, which is a tracer's or the npm package's.
func (s *Store) Known() bool {
	return s.OpenTelemetry || s.Sentry || s.Datadog || s.Package || s.Handle
}

// Rules suggests label rules for the first values of the store, in the syntax of reqctx.ParseRule. The last step of the
// path names the label. The first called route, or below one called so, with a value such as /orders/:id is the route,
// by which reports go, and comes first.
func (s *Store) Rules() []string {
	if s.Sentry && slices.Contains(s.Values, sentryRoute) && !slices.Contains(s.Labels, "http.route") {
		return []string{"http.route=" + sentryRoute}
	}
	if s.Known() {
		return nil
	}
	if s.Name != "" && len(s.Properties) == 0 && isPlainName(s.Name) {
		return []string{fmt.Sprintf(`%s=als("%s")`, s.Name, s.Name)}
	}
	var out, used []string
	routed := false
	for _, path := range s.Values {
		if strings.HasPrefix(path, "store.") || path == "store" { // in a rule, "store" is the store itself
			path = "store." + path
		}
		r, err := reqctx.ParseRule("x=" + path)
		if err != nil || strings.ContainsFunc(path, pprofx.IsControl) { // nobody could type it
			continue
		}
		var names []string
		for _, step := range r.Path {
			names = append(names, strings.Map(plain, step.Name))
		}
		if !routed && slices.Contains(names, "route") && strings.HasPrefix(s.Examples[path], `"/`) {
			routed = true
			out = append([]string{"http.route=" + path}, out[:min(len(out), maxRules-1)]...)
			continue
		}
		label := names[len(names)-1]
		if slices.Contains(used, label) || slices.Contains(vague, label) {
			label = strings.Join(names, ".")
		}
		if len(out) < maxRules {
			used = append(used, label)
			out = append(out, label+"="+path)
		}
	}
	return out
}

// plain replaces characters that are special in a shell or a rule by an underscore.
func plain(r rune) rune {
	if strings.ContainsRune("[](){}\"'`= \t\n\\$&|;<>*?!#~", r) {
		return '_'
	}
	return r
}

func isPlainName(s string) bool {
	return s != "" && strings.Map(plain, s) == s && !strings.ContainsFunc(s, pprofx.IsControl)
}

// Quoted quotes a word for a shell, if necessary.
func Quoted(word string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' ||
			strings.ContainsRune("/._-+:,@%=", r)
	}
	if strings.IndexFunc(word, func(r rune) bool { return !plain(r) }) < 0 {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
