package viewers

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hotspan/hotspan/pprofx"
)

// TestFirefoxThread: samples have their own times, gaps begin a period after the last sample, and markers end before
// the next sample.
func TestFirefoxThread(t *testing.T) {
	samples := few()[:3]
	samples[2] = sample(25, 7, run)
	cart, search := request{"/cart", "1"}, request{"/search", ""}
	for i, q := range []request{cart, cart, search, search, {}, search} {
		if i >= len(samples) {
			samples = append(samples, sample(26+int64(i)*9, 7, run))
		}
		if q.route != "" {
			samples[i].Labels = append(samples[i].Labels, pprofx.Label{Key: "http.route", Str: q.route})
		}
		if q.trace != "" {
			samples[i].Labels = append(samples[i].Labels, pprofx.Label{Key: "trace_id", Str: q.trace})
		}
	}
	samples[4].State = pprofx.StateGC
	var file bytes.Buffer
	got := written(t, NewWriter(&file, Firefox), &file, cut(t, samples, 30, 100)...)
	_, got, _ = strings.Cut(strings.ReplaceAll(got, "\n", ""), `"showMarkersInTimeline":true,`)
	want := `"samples":{"time":[2,12,25,35,53,62,71,81],` +
		`"threadCPUDelta":[0,10000000,10000000,10000000,0,10000000,10000000,10000000],` +
		`"weight":[1,1,1,0,1,1,1,0],"stack":[4,5,3,null,3,6,3,null],"weightType":"samples","length":8},` +
		`"markers":{"length":5,"name":[0,1,1,1,1],"startTime":[62,2,25,53,71],` +
		`"endTime":[70.999999,22,35,61.999999,81],"phase":[1,1,1,1,1],"category":[2,0,0,0,0],` +
		`"data":[{"type":"collection"},{"type":"burst","route":"/cart","trace":"1"},` +
		`{"type":"burst","route":"/search"},{"type":"burst","route":"/search"},{"type":"burst","route":"/search"}]}}]}`
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// TestFirefoxRequestLimit: beyond the limit samples have no request, and are counted, as are those whose snapshot has
// left something out.
func TestFirefoxRequestLimit(t *testing.T) {
	samples := []*pprofx.Sample{sample(1, 7, run), sample(2, 7, run), sample(3, 7, run), sample(4, 7, run)}
	for i, route := range []string{"/a", "/b", "/a", "/b"} {
		samples[i].Labels = []pprofx.Label{{Key: "http.route", Str: route}}
	}
	samples[2].Labels = append(samples[2].Labels, pprofx.Label{Key: pprofx.LeftOutLabel, Str: pprofx.LeftOutIDs})
	var file bytes.Buffer
	w := newFirefoxWriter(&file, limits{10, 10, 1, 10})
	got := written(t, w, &file, cut(t, samples, 100)...)
	if left, want := w.LeftOut(), (pprofx.LeftOut{IDs: 1, Labels: 2}); left != want {
		t.Errorf("left out %+v, want %+v", left, want)
	}
	var parsed struct {
		Threads []struct {
			Markers struct{ Data []struct{ Route string } }
		}
	}
	if err := json.Unmarshal([]byte(got), &parsed); err != nil {
		t.Fatal(err)
	}
	if data := parsed.Threads[0].Markers.Data; len(data) != 2 || data[0].Route != "/a" || data[1].Route != "/a" {
		t.Errorf("markers %+v, want two of /a", data)
	}
}
