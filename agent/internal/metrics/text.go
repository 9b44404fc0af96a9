package metrics

import (
	"bytes"
	"net/http"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/common/expfmt"
)

// restFactor is how many times as long as it takes to write the metrics down they are kept, so that this takes no more
// than a two hundredth of a CPU: some tenths of a second.
const restFactor = 199

// text answers with metrics as text, the one format that all scrapers read. The client's own handler, promhttp, has
// more of them and compresses, for which hotspan has no room.
type text struct {
	from prometheus.Gatherer

	mu    sync.Mutex // not held while a caller reads
	last  []byte
	until time.Time // last is kept
}

func newText(from prometheus.Gatherer) *text { return &text{from: from} }

// ServeHTTP answers with all metrics, or with an error.
func (t *text) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	all, err := t.all()
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", string(expfmt.NewFormat(expfmt.TypeTextPlain)))
	_, _ = w.Write(all) // the caller has gone
}

func (t *text) all() ([]byte, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	begin := time.Now()
	if begin.Before(t.until) {
		return t.last, nil
	}
	families, err := t.from.Gather()
	var out bytes.Buffer
	for _, f := range families {
		if err == nil {
			_, err = expfmt.MetricFamilyToText(&out, f)
		}
	}
	if err != nil {
		return nil, err
	}
	t.last = out.Bytes()
	t.until = time.Now().Add(restFactor * time.Since(begin))
	return t.last, nil
}
