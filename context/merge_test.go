package context

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestMerge(t *testing.T) {
	var sets LabelsBySource
	sets[PublishedNode] = []Label{str(TraceID, "node"), str("a", "node")}
	sets[PublishedThread] = []Label{str(TraceID, "thread"), str(SpanID, "thread"), str("b", "thread"),
		str("a", "thread")}
	sets[OpenTelemetry] = []Label{str(SpanID, "store"), str("b", "store"), {Key: "n", Num: 5, IsNum: true}}
	want := []Label{str("a", "node"), str("b", "thread"), {Key: "n", Num: 5, IsNum: true}, str(TraceID, "node")}
	if diff := cmp.Diff(want, Merge(&sets)); diff != "" {
		t.Errorf("a span id of another trace, or another precedence: %s", diff)
	}
	sets = LabelsBySource{OpenTelemetry: {str("z", "1")}, PublishedLabels: {str("k", "2")}}
	if diff := cmp.Diff([]Label{str("k", "2"), str("z", "1")}, Merge(&sets)); diff != "" {
		t.Error(diff)
	}
}
