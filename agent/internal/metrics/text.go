package metrics

import (
	"bytes"
	"fmt"
	"net/http"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/common/expfmt"
)

// maxReaders is how many requests for metrics are answered at the same time.
const maxReaders = 4

// text answers with metrics as text, the one format that all scrapers read. The client's own handler, promhttp, has
// more of them and compresses, for which hotspan has no room.
type text struct {
	from prometheus.Gatherer
	busy chan struct{} // holds an element for each request that is being answered
}

func newText(from prometheus.Gatherer) *text { return &text{from, make(chan struct{}, maxReaders)} }

// ServeHTTP answers with all metrics, or with an error.
func (t *text) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	select {
	case t.busy <- struct{}{}:
		defer func() { <-t.busy }()
	default:
		http.Error(w, fmt.Sprintf("%d requests are being answered", maxReaders), http.StatusServiceUnavailable)
		return
	}
	families, err := t.from.Gather()
	var out bytes.Buffer
	for _, f := range families {
		if err == nil {
			_, err = expfmt.MetricFamilyToText(&out, f)
		}
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", string(expfmt.NewFormat(expfmt.TypeTextPlain)))
	_, _ = w.Write(out.Bytes()) // the caller has gone
}
