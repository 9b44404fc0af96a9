package report

import "github.com/hotspan/hotspan/pprofx"

// The labels that reports go by.
const (
	routeLabel = "http.route"
	pathLabel  = "url.path"
	traceLabel = "trace_id"
)

// value returns the value of a label, empty if there is none.
func value(labels []pprofx.Label, key string) string {
	for _, l := range labels {
		if l.Key == key {
			return l.Text()
		}
	}
	return ""
}
