package inspect

import (
	"testing"

	reqctx "github.com/hotspan/hotspan/context"
)

// TestNeedless: a label that stands in for another one counts where that one has no value.
func TestNeedless(t *testing.T) {
	route := reqctx.Rule{Label: reqctx.Route, Source: reqctx.OpenTelemetry}
	path := reqctx.Rule{Label: reqctx.URLPath, Source: reqctx.OpenTelemetry, Unless: reqctx.Route}
	other := reqctx.Rule{Label: reqctx.Route, Source: reqctx.Datadog}
	began := reqctx.Rule{Label: reqctx.RequestStart, Source: reqctx.OpenTelemetry}
	again := reqctx.Rule{Label: reqctx.RequestStart, Source: reqctx.OpenTelemetry, Unless: reqctx.RequestStart}
	for _, c := range []struct {
		name  string
		rules []*reqctx.Rule
		want  []bool
	}{
		{"a path alone", []*reqctx.Rule{&path}, []bool{false}},
		{"a path beside a route", []*reqctx.Rule{&path, &route}, []bool{true, false}},
		{"a path beside another source's route", []*reqctx.Rule{&path, &other}, []bool{false, false}},
		{"the second rule for a label alone", []*reqctx.Rule{&again}, []bool{false}},
		{"both rules for a label", []*reqctx.Rule{&again, &began}, []bool{true, false}},
	} {
		var all []valueOf
		for _, r := range c.rules {
			all = append(all, valueOf{rule: r})
		}
		for i, f := range all {
			if got := f.needless(all); got != c.want[i] {
				t.Errorf("%s: label %d is needless: %v, want %v", c.name, i, got, c.want[i])
			}
		}
	}
}
