package export

import (
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"

	"github.com/hotspan/hotspan/otlp"
	"github.com/hotspan/hotspan/pprofx"
)

// collector is an OTLP server that keeps the times of the samples that it takes. answer may refuse a snapshot.
type collector struct {
	answer func(*pprofx.Snapshot) (code int)

	mu    sync.Mutex
	times []int64
}

func (c *collector) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if counts, _ := otlp.Count(body); err != nil || counts.Profiles == 0 { // it is asked whether it takes profiles
		return
	}
	s, err := otlp.Decode(body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if code := c.answer(s); code != http.StatusOK {
		w.WriteHeader(code)
		return
	}
	for _, row := range s.Rows {
		c.times = append(c.times, row.Time)
	}
}

// Of a snapshot that is too large for one message, each message is delivered once: also if a later one has to wait, or
// is refused and halved.
func TestMessagesOnce(t *testing.T) {
	for name, test := range map[string]struct {
		keep func(*pprofx.Label) bool
		per  string
	}{
		"as stored":   {},
		"some labels": {keep: func(l *pprofx.Label) bool { return l.Key == "tenant" }},
		"per route":   {per: "http.route"},
	} {
		tries := 0
		c := &collector{answer: func(s *pprofx.Snapshot) int {
			if s.Rows[0].Time != 1050 {
				return http.StatusOK
			}
			switch tries++; tries {
			case 1:
				return http.StatusUnauthorized // which may pass, but is not tried again at once
			case 2:
				return http.StatusBadRequest
			}
			return http.StatusOK
		}}
		web := httptest.NewServer(c)
		defer web.Close()
		config := otlp.Config{Protocol: otlp.HTTP, Compression: otlp.Uncompressed, ProfilePer: test.per}
		s, d, log := fixture(t, nil, test.keep)
		fill(t, s, 1)
		config.MaxMessage = size(t, d, config) - 1
		e, err := otlp.Dial(web.URL, config)
		if err != nil {
			t.Fatal(err)
		}
		defer e.Close()
		d.to = e
		deliverAll(t, d)
		if !slices.Equal(c.times, times(1)) || tries != 3 {
			t.Errorf("%s: %v, %d tries: %s", name, c.times, tries, log)
		}
		if got := d.Stats(); got != (Stats{Snapshots: 1, Samples: 10, Failures: 1}) {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

// size is that of the one message that the first snapshot of a store would be.
func size(t *testing.T, d *Destination, config otlp.Config) int {
	t.Helper()
	entries, _ := d.from.From(0)
	frame, err := d.from.Read(entries[0])
	if err != nil {
		t.Fatal(err)
	}
	message, err := otlp.Decompress(frame)
	if err != nil {
		t.Fatal(err)
	}
	s, err := otlp.Decode(message)
	if err != nil {
		t.Fatal(err)
	}
	if d.keep != nil {
		s = s.KeepLabels(d.keep)
	}
	all, err := otlp.Messages(s, config)
	if err != nil || len(all) != 1 {
		t.Fatalf("%d messages, %v", len(all), err)
	}
	if d.keep == nil && config.ProfilePer == "" {
		return len(message)
	}
	return len(all[0])
}
