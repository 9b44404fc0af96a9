package serve_test

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/google/pprof/profile"

	"github.com/hotspan/hotspan/agent/internal/live"
	"github.com/hotspan/hotspan/agent/internal/serve"
	"github.com/hotspan/hotspan/pprofx"
)

// pull asks for a profile.
func pull(t *testing.T, url, authorization string) *http.Response {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), "GET", url, nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", authorization)
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { answer.Body.Close() })
	return answer
}

// A scraper gets the samples of the next seconds, of the service that it asks for.
func TestPull(t *testing.T) {
	feed := live.NewFeed()
	server := httptest.NewServer(serve.Pull(feed, "a long token of 25 letters"))
	defer server.Close()
	go func() {
		for !feed.Wanted() {
			time.Sleep(time.Millisecond)
		}
		for n := range int64(3) {
			feed.Publish(snapshot(t, n+1, 101, 102))
		}
	}()
	answer := pull(t, server.URL+"?seconds=1&service=two&labels=http.route", "Bearer a long token of 25 letters")
	if answer.StatusCode != 200 {
		t.Fatal(answer.Status)
	}
	p, err := profile.Parse(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	routes := map[string]int64{}
	for _, s := range p.Sample {
		routes[s.Label["http.route"][0]] += s.Value[0]
		if s.Label["tenant"] != nil || s.NumLabel["pid"][0] != 102 {
			t.Errorf("labels %v %v", s.Label, s.NumLabel)
		}
	}
	if routes["/a"] != 15 || routes["/b"] != 15 {
		t.Errorf("samples by route: %v, want 15 of /a and of /b", routes)
	}
	if got := pull(t, server.URL+"?seconds=1", "Bearer another token").StatusCode; got != http.StatusUnauthorized {
		t.Errorf("another token: %d", got)
	}
	for _, seconds := range []string{"61", "0", "-1", "x", "1e1", "9223372037", "18446744074"} {
		got := pull(t, server.URL+"?seconds="+seconds, "Bearer a long token of 25 letters").StatusCode
		if got != http.StatusBadRequest {
			t.Errorf("%s seconds: %d", seconds, got)
		}
	}
}

// A profile that lacks samples is an error: a scraper has no place for losses.
func TestPullLoses(t *testing.T) {
	feed := live.NewFeed()
	server := httptest.NewServer(serve.Pull(feed, "a long token of 25 letters"))
	defer server.Close()
	go func() {
		for !feed.Wanted() {
			time.Sleep(time.Millisecond)
		}
		feed.Miss(&pprofx.Snapshot{Period: 1, Rows: make([]pprofx.Row, 1)})
	}()
	answer := pull(t, server.URL+"?seconds=1", "Bearer a long token of 25 letters")
	if answer.StatusCode != http.StatusInternalServerError {
		t.Error(answer.Status)
	}
}
