package metrics

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
)

func answerTo(t *text) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	t.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/metrics", nil))
	return w
}

// Prometheus's parser reads what is served: all that the registry has, each with its type and a text.
func TestText(t *testing.T) {
	from := prometheus.NewRegistry()
	strange := prometheus.NewGaugeVec(prometheus.GaugeOpts{Name: "strange", Help: "A \\ and\na line."}, []string{"l"})
	strange.WithLabelValues("a \"quote\" \\ and\na line").Set(1.5)
	from.MustRegister(strange, collector{func() Values { return Values{Lost: map[string]int64{"late": 3}} }})
	w := answerTo(newText(from))
	if kind := w.Header().Get("Content-Type"); !strings.HasPrefix(kind, "text/plain; version=0.0.4") {
		t.Errorf("content type %q", kind)
	}
	parser := expfmt.NewTextParser(model.LegacyValidation)
	got, err := parser.TextToMetricFamilies(w.Body)
	if err != nil {
		t.Fatal(err)
	}
	want, err := from.Gather()
	if err != nil || len(got) != len(want) {
		t.Fatalf("%d metrics, want %d, %v", len(got), len(want), err)
	}
	for _, f := range want {
		g := got[f.GetName()]
		if f.GetHelp() == "" || g.GetHelp() != f.GetHelp() || g.GetType() != f.GetType() {
			t.Errorf("%s: %q %v, want %q %v", f.GetName(), g.GetHelp(), g.GetType(), f.GetHelp(), f.GetType())
		}
		if len(g.GetMetric()) != len(f.GetMetric()) || g.GetMetric()[0].String() != f.GetMetric()[0].String() {
			t.Errorf("%v, want %v", g.GetMetric(), f.GetMetric())
		}
	}
}

func TestTextErrors(t *testing.T) {
	reading := make(chan struct{})
	wait := prometheus.GathererFunc(func() ([]*dto.MetricFamily, error) { <-reading; return nil, nil })
	busy := newText(wait)
	codes := make(chan int)
	for range maxReaders + 1 {
		go func() { codes <- answerTo(busy).Code }()
	}
	select {
	case code := <-codes:
		if code != http.StatusServiceUnavailable {
			t.Errorf("code %d while %d others are answered", code, maxReaders)
		}
	case <-time.After(10 * time.Second):
		t.Fatal("one more is answered, too")
	}
	close(reading)
	for range maxReaders {
		if code := <-codes; code != http.StatusOK {
			t.Errorf("code %d", code)
		}
	}
	broken := prometheus.GathererFunc(func() ([]*dto.MetricFamily, error) { return nil, errors.New("broken") })
	if w := answerTo(newText(broken)); w.Code != 500 || !strings.Contains(w.Body.String(), "broken") {
		t.Errorf("code %d, %s", w.Code, w.Body)
	}
}
