package e2e

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hotspan/hotspan/test/truth"
)

// labelVerdict is the comparison of labels with the truth.
type labelVerdict struct {
	right, gc share // samples inside request code, and those of them in a collection, that have all labels right
	wrong     int
	outside   int            // samples of no request that have labels all the same
	missing   map[string]int // labels that are not there, together
}

// compareLabels judges each sample that lies inside an interval of the truth.
func compareLabels(t *testing.T, samples []sample, l *truth.Log, want func(*truth.Label) map[string]any) labelVerdict {
	v := labelVerdict{missing: map[string]int{}}
	for i := range samples {
		s := &samples[i]
		at, ok := l.AtUnix(s.T, s.TID)
		if !ok {
			continue
		}
		if at.Label == nil {
			v.judgeOutside(t, s)
			continue
		}
		v.judge(t, s, want(at.Label))
	}
	return v
}

func (v *labelVerdict) judgeOutside(t *testing.T, s *sample) {
	if len(s.Labels) == 0 {
		return
	}
	v.outside++
	if v.outside <= 5 {
		t.Logf("labels where no request ran: %v of %v", s.Labels, s)
	}
}

func (v *labelVerdict) judge(t *testing.T, s *sample, want map[string]any) {
	var missing []string
	wrong := false
	for key, value := range want {
		got, ok := s.Labels[key]
		if !ok {
			missing = append(missing, key)
		}
		wrong = wrong || ok && got != value
	}
	if len(missing) > 0 {
		slices.Sort(missing)
		v.missing[strings.Join(missing, " ")]++
	}
	for key := range s.Labels {
		if _, ok := want[key]; !ok {
			wrong = true
		}
	}
	if wrong {
		v.wrong++
	}
	v.right.count(len(missing) == 0 && !wrong)
	if s.State == "gc" {
		v.gc.count(len(missing) == 0 && !wrong)
	}
	if wrong && v.wrong <= 5 || len(missing) > 0 && v.right.whole-v.right.part < 5 {
		t.Logf("labels %v, want %v, of %v", s.Labels, want, s)
	}
}

// requestLabels are the labels that a request of requests.js must have.
func requestLabels(l *truth.Label) map[string]any {
	want := map[string]any{
		"trace_id": l.TraceID, "span_id": l.SpanID,
		"endpoint": l.Endpoint, "tenant": l.Tenant, "user": l.User,
	}
	if l.Route != "" {
		want["http.route"] = l.Route
	} else {
		want["http.request.method"] = l.Method
		want["url.path"], _, _ = strings.Cut(l.Target, "?")
	}
	return want
}

// TestRequests: sixteen requests at a time, interleaved through all kinds of continuation; each sample must have the
// labels of the request whose code ran, in collections too, and none where none did.
func TestRequests(t *testing.T) {
	for _, mode := range []string{"plain", "gc"} {
		t.Run(mode, func(t *testing.T) {
			eachFrameNode(t, func(t *testing.T, node string, flags []string) {
				requests(t, node, mode, flags, 12*time.Second, bound{99.5, 5000})
			})
		})
	}
}

// bound is how many samples there must be in the code of requests, and how many percent of them labelled right. The
// others were met before their hidden classes were learnt, of which there are more where resources have the stores.
type bound struct {
	percent float64
	samples int
}

// requests samples requests.js.
func requests(t *testing.T, node, mode string, flags []string, d time.Duration, least bound) {
	if mode == "gc" {
		flags = append(flags, "--max-semi-space-size=1")
	}
	p := start(t, node, "requests.js", flags, []string{"MODE=" + mode, fmt.Sprintf("DURATION_MS=%d", (d + 2*time.Second).Milliseconds())})
	samples := record(t, p.pid, 997, d,
		"--label", "endpoint=endpoint", "--label", "tenant=user.tenant", "--label", `user=user.id`)
	v := compareLabels(t, samples, p.truth(t), requestLabels)
	v.right.atLeast(t, "samples in request code labelled right", least.percent, least.samples)
	t.Logf("in collections: %v; missing: %v", v.gc, v.missing)
	if v.wrong > 0 || v.outside > 0 {
		t.Errorf("%d samples with wrong labels, %d labelled where no request ran, want none", v.wrong, v.outside)
	}
}
