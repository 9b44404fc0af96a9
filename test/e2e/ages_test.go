package e2e

import (
	"encoding/json"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/hotspan/hotspan/pprofx/report"
	"github.com/hotspan/hotspan/test/draw"
	"github.com/hotspan/hotspan/test/truth"
	"github.com/hotspan/hotspan/test/truth/judge"
)

// oldRequest is the age that TestAges asks for. Slow requests of ages.js take some 80 ms and more, others some 10.
const oldRequest = 50 * time.Millisecond

// TestAges: samples have the start of the span, --older chooses those whose request was older by what the program wrote
// down, and --compare-age names first what slow requests do.
func TestAges(t *testing.T) {
	draw.Quarter(t, seldom)
	t.Parallel()
	eachNode(t, func(t *testing.T, node string) {
		if !*all && node == node24(t) {
			return // TestRequests compares each start there too
		}
		for d := 14 * time.Second; ; d *= 2 {
			p := start(t, node, "ages.js", nil, nil)
			dir := t.TempDir()
			recording := filepath.Join(dir, "out.otlp")
			const rate = 999
			r := run(t, "record", "-p", strconv.Itoa(p.PID), "-F", "999", "-d", d.String(), "-o", recording)
			t.Logf("%s", r.Stderr)
			l := p.truth(t)
			all, older := filepath.Join(dir, "all.jsonl"), filepath.Join(dir, "older.jsonl")
			run(t, "convert", recording, all)
			run(t, "convert", "--older", oldRequest.String(), recording, older)
			samples, chosen := readSamples(t, all), readSamples(t, older)
			if n := labelled(samples); d < time.Minute/2 && min(len(chosen), n-len(chosen)) < 400 {
				t.Logf("%d samples in requests, of which %d are older: recording again", n, len(chosen))
				continue
			}
			compareLabels(t, samples, l, ageLabels, bound{98, 800})
			compareOlder(t, samples, chosen, l, time.Second/rate)
			compareCauses(t, recording)
			return
		}
	})
}

// labelled counts samples that have labels.
func labelled(samples []judge.Sample) (n int) {
	for i := range samples {
		if len(samples[i].Labels) > 0 {
			n++
		}
	}
	return n
}

func ageLabels(l *truth.Label) map[string]any {
	want := map[string]any{"trace_id": l.TraceID, "span_id": l.SpanID}
	if l.Route != "" {
		want["http.route"] = l.Route
	}
	return want
}

// compareOlder checks the samples that are chosen of all by their age. The program looks at the clock before the span
// begins and after it, between which it may not run; the span's start has milliseconds, and is rounded down.
func compareOlder(t *testing.T, all, older []judge.Sample, l *truth.Log, period time.Duration) {
	t.Helper()
	began := map[int]int64{}
	for _, i := range l.Intervals {
		if i.Label == nil {
			continue
		}
		if at, ok := began[i.Label.Request]; !ok || i.Start < at {
			began[i.Label.Request] = i.Start
		}
	}
	edge := period + time.Millisecond
	type key struct {
		t   int64
		tid int
	}
	chosen := map[key]bool{}
	for _, s := range older {
		chosen[key{s.T, s.TID}] = true
	}
	count := map[string]int{}
	var wrong []string
	for i := range all {
		s := &all[i]
		in := chosen[key{s.T, s.TID}]
		at, ok := l.At(s.Mono(l), s.TID)
		if !ok || at.Label == nil {
			continue
		}
		least, most := time.Duration(s.Mono(l)-began[at.Label.Request]), time.Duration(s.Mono(l)-at.Label.Began)
		switch {
		case s.Start == 0:
			count["without a start"]++
			if in {
				wrong = append(wrong, "chosen without a start: "+s.String())
			}
		case least < oldRequest+edge && most > oldRequest-edge:
			count["at the edge"]++
		case in != (least >= oldRequest):
			wrong = append(wrong, least.String()+" old: "+s.String())
		case in:
			count["older"]++
		default:
			count["younger"]++
		}
	}
	t.Logf("%v, %d wrong", count, len(wrong))
	tell(t, wrong)
	if len(wrong) > 0 || count["older"] < 300 || count["younger"] < 300 || len(older) < count["older"] {
		t.Error("samples are chosen wrongly, or there are too few")
	}
}

// compareCauses checks that of each route what slow requests do comes first.
func compareCauses(t *testing.T, recording string) {
	t.Helper()
	printed, err := exec.Command(hotspan, "report", "--compare-age", oldRequest.String(), recording).Output()
	t.Logf("%v\n%s", err, printed)
	printed, err = exec.Command(hotspan, "report", "--compare-age", oldRequest.String(), "--json", recording).Output()
	var c report.AgeComparison
	if err != nil || json.Unmarshal(printed, &c) != nil {
		t.Fatalf("%v: %.500s", err, printed)
	}
	causes := map[string]string{"/search": "rankEverything", "/cart": "copyCart", "": "rankEverything"}
	for _, r := range c.Routes {
		cause, ok := causes[r.Route]
		delete(causes, r.Route)
		switch {
		case !ok || len(r.Functions) == 0 || len(r.Paths) == 0:
			t.Errorf("route %q: %+v", r.Route, r)
			continue
		case r.Functions[0].Name != cause || !r.Functions[0].Certain:
			t.Errorf("route %q: first %+v, want %s", r.Route, r.Functions[0], cause)
		case filepath.Base(r.Functions[0].File) != "ages.js":
			t.Errorf("route %q: %s is in %s", r.Route, cause, r.Functions[0].File)
		}
		path := r.Paths[0].Name
		if want := "beSlow" + report.CallMark + "note" + report.CallMark + cause; !r.Paths[0].Certain ||
			len(path) < len(want) || path[len(path)-len(want):] != want {
			t.Errorf("route %q: calls %q first, want … %q", r.Route, path, want)
		}
		for _, f := range r.Functions[1:] {
			if f.Certain && (f.Name == "parseQuery" || f.Name == "renderPage" || f.New > r.Functions[0].New/2) {
				t.Errorf("route %q: %+v is no cause", r.Route, f)
			}
		}
	}
	if len(causes) > 0 {
		t.Errorf("routes are missing: %v", causes)
	}
}
