package pprof

import (
	"io"
	"slices"
	"strings"

	"github.com/hotspan/hotspan/pprofx"
)

// WritePyroscope is Write with what makes series in Pyroscope: labels of the request only, by their PyroscopeName.
func WritePyroscope(to io.Writer, s *pprofx.Snapshot) error {
	return writeOne(newWriter(to, pyroscopeStyle), s)
}

// pyroscopeStyle has what makes series in Pyroscope: names of Prometheus's form, and nothing of threads. trace_id and
// span_id are Pyroscope's names too.
var pyroscopeStyle = style{rename: func(labels []pprofx.Label) []pprofx.Label {
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
