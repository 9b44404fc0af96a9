package metrics

import (
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
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
	broken := prometheus.GathererFunc(func() ([]*dto.MetricFamily, error) { return nil, errors.New("broken") })
	if w := answerTo(newText(broken)); w.Code != 500 || !strings.Contains(w.Body.String(), "broken") {
		t.Errorf("code %d, %s", w.Code, w.Body)
	}
}

// TestManyReaders: nobody who asks again and again has the agent do much for it, and who does not read the answer keeps
// nobody from theirs.
func TestManyReaders(t *testing.T) {
	const work = 2 * time.Millisecond
	var reads atomic.Int64
	s, err := Listen("127.0.0.1:0", func() Values {
		reads.Add(1)
		time.Sleep(work)
		return Values{}
	}, nil, slog.Default())
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for range 8 {
		c, err := net.Dial("tcp", s.Address())
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		go io.WriteString(c, strings.Repeat("GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n", 10_000))
	}
	begin, answers := time.Now(), 0
	for time.Since(begin) < time.Second {
		answer, err := http.Get("http://" + s.Address() + "/metrics")
		if err != nil {
			t.Fatal(err)
		}
		if answer.Body.Close(); answer.StatusCode == http.StatusOK {
			answers++
		}
	}
	took := time.Since(begin)
	if most := int64(took/(restFactor*work)) + 1; answers == 0 || reads.Load() > most {
		t.Errorf("in %v: metrics were read %d times, want %d at most; %d answers", took, reads.Load(), most, answers)
	}
}
