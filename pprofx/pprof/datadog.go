package pprof

import (
	"fmt"
	"io"
	"strconv"

	"github.com/hotspan/hotspan/pprofx"
)

// NewDatadogWriter is NewWriter with the label names of Datadog's own profilers: "span id" and "local root span id" are
// numbers, "trace endpoint" is the route, or method and path if there is no route, and the thread is "thread name" and
// "thread id". Other labels keep their names. (dd-trace, packages/dd-trace/src/profiling)
func NewDatadogWriter(to io.Writer) pprofx.Writer { return newWriter(to, datadogStyle) }

var datadogStyle = style{threadName: "thread name", threadID: "thread id", rename: datadogLabels}

// The labels of a request that Datadog names differently.
const (
	spanID     = "span_id"
	rootSpanID = "local_root_span_id"
	route      = "http.route"
	method     = "http.request.method"
	urlPath    = "url.path"
)

func datadogLabels(labels []pprofx.Label) []pprofx.Label {
	var out []pprofx.Label
	values := map[string]string{}
	for _, l := range labels {
		switch l.Key {
		case spanID:
			out = append(out, idLabel("span id", l.Str))
		case rootSpanID:
			out = append(out, idLabel("local root span id", l.Str))
		case route, method, urlPath:
			values[l.Key] = l.Str
		default:
			out = append(out, l)
		}
	}
	endpoint := values[route]
	if endpoint == "" && values[urlPath] != "" {
		endpoint = fmt.Sprintf("%s %s", values[method], values[urlPath])
	}
	if endpoint != "" {
		out = append(out, pprofx.Label{Key: "trace endpoint", Str: endpoint})
	}
	return out
}

// idLabel returns an id as a number, in the 64 bits that pprof has for one. A value that is not an id stays text.
func idLabel(key, id string) pprofx.Label {
	n, err := strconv.ParseUint(id, 16, 64)
	if err != nil {
		return pprofx.Label{Key: key, Str: id}
	}
	return pprofx.Label{Key: key, Num: int64(n)}
}
