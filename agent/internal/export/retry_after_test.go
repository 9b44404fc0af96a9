package export

import (
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/hotspan/hotspan/otlp"
)

// TestRetryAfter: a server that asks to be left alone is, also for longer than one delivery may take, and when it was
// only asked whether it takes profiles.
func TestRetryAfter(t *testing.T) {
	const alone = 3 * time.Second
	var mu sync.Mutex
	var asked []time.Time
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		if asked = append(asked, time.Now()); len(asked) < 3 {
			w.Header().Set("Retry-After", "3")
			w.WriteHeader(http.StatusTooManyRequests)
		}
	}))
	defer web.Close()
	e, err := otlp.Dial(web.URL, otlp.Config{Protocol: otlp.HTTP, GiveUp: time.Second})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	s, d, log := fixture(t, e, nil)
	fill(t, s, 1)
	deliverAll(t, d)
	if got := d.Stats(); len(asked) != 3 || got.Samples != 10 || got.Failures != 1 {
		t.Fatalf("%d requests, %+v: %s", len(asked), got, log)
	}
	for i, at := range asked[1:] {
		if waited := at.Sub(asked[i]); waited < alone {
			t.Errorf("request %d came after %v, the server said %v", i+1, waited, alone)
		}
	}
}
