package pprofx

import (
	"slices"
	"strings"
)

// pyroscopeStyle has what makes series in Pyroscope: names of Prometheus's form, and nothing of threads. trace_id and
// span_id are Pyroscope's names too.
var pyroscopeStyle = pprofStyle{rename: func(labels []Label) []Label {
	out := slices.Clone(labels)
	for i := range out {
		out[i].Key = PyroscopeName(out[i].Key)
	}
	return out
}}

// PyroscopeName returns the name that a label has in Pyroscope, which is one of Prometheus's form: http.route is
// http_route.
func PyroscopeName(key string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_' {
			return r
		}
		return '_'
	}, key)
}
