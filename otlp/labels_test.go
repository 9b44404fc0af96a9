package otlp

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hotspan/hotspan/pprofx"
)

const (
	traceID = "4bf92f3577b34da6a3ce929d0e0e4736"
	spanID  = "b7ad6b7169203331"
)

func TestLabels(t *testing.T) {
	text := func(pairs ...string) (all []pprofx.Label) {
		for i := 0; i < len(pairs); i += 2 {
			all = append(all, pprofx.Label{Key: pairs[i], Str: pairs[i+1]})
		}
		return all
	}
	tests := map[string]struct {
		labels []pprofx.Label
		link   string
		attrs  map[string]string
	}{
		"a span": {text("span_id", spanID, "trace_id", traceID), traceID + spanID, map[string]string{}},
		"upper case": {text("span_id", "B7AD6B7169203331", "trace_id", traceID), traceID + spanID,
			map[string]string{}},
		"no span id":         {text("trace_id", traceID), "", map[string]string{"trace_id": traceID}},
		"no trace id":        {text("span_id", spanID), "", map[string]string{"span_id": spanID}},
		"empty":              {nil, "", map[string]string{}},
		"a convention's key": {text("http.route", "/a"), "", map[string]string{"http.route": "/a"}},
		"an application's":   {text("tenant", "x"), "", map[string]string{"process.context.label.tenant": "x"}},
		"short trace id": {text("span_id", spanID, "trace_id", "4bf92f35"), "",
			map[string]string{"span_id": spanID, "trace_id": "4bf92f35"}},
		"long span id": {text("span_id", spanID+"00", "trace_id", traceID), "",
			map[string]string{"span_id": spanID + "00", "trace_id": traceID}},
		"not hex": {text("span_id", "b7ad6b716920333g", "trace_id", traceID), "",
			map[string]string{"span_id": "b7ad6b716920333g", "trace_id": traceID}},
		"zero span id": {text("span_id", "0000000000000000", "trace_id", traceID), "",
			map[string]string{"span_id": "0000000000000000", "trace_id": traceID}},
		"zero trace id": {text("span_id", spanID, "trace_id", "00000000000000000000000000000000"), "",
			map[string]string{"span_id": spanID, "trace_id": "00000000000000000000000000000000"}},
		"number as id": {append(text("span_id", spanID), pprofx.Label{Key: "trace_id", Num: 12}), "",
			map[string]string{"span_id": spanID, "trace_id": "12"}},
		"left out": {text(pprofx.LeftOutLabel, pprofx.LeftOutIDs), "",
			map[string]string{"hotspan.left_out": "ids"}},
		"the package's own keys": {text("cpu.logical_number", "a", "hotspan.stop", "b", "thread.name", "c"), "",
			map[string]string{"process.context.label.cpu.logical_number": "a",
				"process.context.label.hotspan.stop": "b",
				"process.context.label.thread.name":  "c"}},
		"same key after naming": {text("process.context.label.tenant", "a", "tenant", "b"), "",
			map[string]string{"process.context.label.tenant": "a",
				"process.context.label.process.context.label.tenant": "b"}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			s := randomSnapshot(1, 1)
			s.LabelSets = [][]pprofx.Label{test.labels}
			s.Rows[0].Labels, s.Rows[0].Thread, s.Threads = 0, 0, []string{"main"}
			s.Rows[0].Turn, s.Rows[0].Start = 0, 0
			link, attrs := onlySample(t, s)
			for _, own := range []string{
				"thread.name", "thread.id", "cpu.logical_number", "hotspan.vm_state", "hotspan.stop",
			} {
				delete(attrs, own)
			}
			if diff := cmp.Diff(test.attrs, attrs); diff != "" || link != test.link {
				t.Errorf("link %q, want %q; %s", link, test.link, diff)
			}
		})
	}
}

func onlySample(t *testing.T, s *pprofx.Snapshot) (link string, attrs map[string]string) {
	t.Helper()
	p := wire(t, Profiles(s, Agent{}))
	if got := breaches(p); got != nil {
		t.Error(got)
	}
	d := receiver{p.Dictionary()}
	sample := p.ResourceProfiles().At(0).ScopeProfiles().At(0).Profiles().At(0).Samples().At(0)
	if i := sample.LinkIndex(); i != 0 {
		l := d.tables.LinkTable().At(int(i))
		link = l.TraceID().String() + l.SpanID().String()
	}
	return link, d.attributes(sample.AttributeIndices())
}

func TestNumberLabelKeepsItsUnit(t *testing.T) {
	s := randomSnapshot(1, 1)
	want := []pprofx.Label{{Key: "sent", Num: -5, Unit: "By"}}
	s.LabelSets = [][]pprofx.Label{want}
	s.Rows[0].Labels = 0
	if diff := cmp.Diff(want, decode(wire(t, Profiles(s, Agent{})))[0].Labels); diff != "" {
		t.Error(diff)
	}
}
