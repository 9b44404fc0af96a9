package context

import (
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/hotspan/hotspan/v8/value"
)

// Keys of the labels that the built-in rules make. Routes, methods and paths have the names of OpenTelemetry's semantic
// conventions for HTTP, also where a tracer uses older names.
const (
	TraceID  = "trace_id"           // 32 hexadecimal digits
	SpanID   = "span_id"            // 16 hexadecimal digits
	RootSpan = "local_root_span_id" // of the first span of the trace in this process; 16 hexadecimal digits
	Route    = "http.route"
	Method   = "http.request.method"
	URLPath  = "url.path"

	// RequestStart is when the request began by the tracer's clock, in nanoseconds since 1970: the start of the span of
	// the request, else that of the active span. It is no label of samples, which have it apart.
	RequestStart = "hotspan.request_start"
)

// Label is a label of a sample: a key with a text or a whole number.
type Label struct {
	Key   string
	Str   string // valid UTF-8; empty if IsNum
	Num   int64  // counts only if IsNum
	IsNum bool
}

// SetNumber sets the value. A number that is not whole, or not exact as a double, becomes a text, as JavaScript writes
// it.
func (l *Label) SetNumber(n float64) {
	if n == math.Trunc(n) && math.Abs(n) < 1<<53 {
		l.Num, l.IsNum = int64(n), true
		return
	}
	l.Str = value.Number(n)
}

func hasKey(labels []Label, key string) bool {
	return slices.ContainsFunc(labels, func(l Label) bool { return l.Key == key })
}

// idDigits is how long ids are, in hexadecimal digits.
var idDigits = map[string]int{TraceID: 32, SpanID: 16, RootSpan: 16}

// isNone reports whether an id is all zero: that of no trace or span (W3C Trace Context, 3.2.2). Where an application
// has OpenTelemetry's instrumentation, but no tracer, all of its spans have it.
func (l *Label) isNone() bool {
	n, ok := idDigits[l.Key]
	return ok && len(l.Str) == n && strings.Trim(l.Str, "0") == ""
}

// valid reports whether an id is hexadecimal, of its length and not all zero, and any other text UTF-8.
func (l *Label) valid() bool {
	if n, ok := idDigits[l.Key]; ok {
		return isID(l.Str, n)
	}
	return l.IsNum || utf8.ValidString(l.Str)
}

func isID(s string, n int) bool {
	if len(s) != n || strings.Trim(s, "0") == "" {
		return false
	}
	for _, c := range []byte(s) {
		if (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return false
		}
	}
	return true
}
