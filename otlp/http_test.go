package otlp

import (
	"compress/gzip"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/klauspost/compress/zstd"
	"go.opentelemetry.io/collector/pdata/pprofile"
	"go.opentelemetry.io/collector/pdata/pprofile/pprofileotlp"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// serveHTTP serves OTLP/HTTP as the Collector's pdata reads it. answer may refuse a try, from 1.
func serveHTTP(
	t *testing.T, answer func(w http.ResponseWriter, try int) (refused bool),
) (url string, all func() []pprofile.Profiles) {
	t.Helper()
	var received []pprofile.Profiles
	var tries atomic.Int32
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if answer != nil && answer(w, int(tries.Add(1))) {
			return
		}
		if r.Method != http.MethodPost || r.URL.Path != "/v1development/profiles" ||
			r.Header.Get("Content-Type") != "application/x-protobuf" || r.Header.Get("X-Tenant") != "a" ||
			r.Header.Get(pprofileotlp.DevelopmentVersionHeader) != pprofileotlp.DevelopmentVersion {
			t.Errorf("%s %s %v", r.Method, r.URL, r.Header)
		}
		body := io.Reader(r.Body)
		switch r.Header.Get("Content-Encoding") {
		case "gzip":
			body, _ = gzip.NewReader(r.Body)
		case "zstd":
			body, _ = zstd.NewReader(r.Body)
		}
		data, err := io.ReadAll(body)
		if err != nil {
			t.Error(err)
		}
		request := pprofileotlp.NewExportRequest()
		if err := request.UnmarshalProto(data); err != nil {
			t.Error(err)
		}
		received = append(received, request.Profiles())
		response, _ := pprofileotlp.NewExportResponse().MarshalProto()
		w.Write(response)
	}))
	t.Cleanup(s.Close)
	return s.URL, func() []pprofile.Profiles { return received }
}

func TestWriteHTTP(t *testing.T) {
	for _, compression := range []Compression{"", Gzip, Zstd, Uncompressed} {
		url, received := serveHTTP(t, nil)
		want := randomSnapshot(1, 300)
		e := dial(t, url, Config{Protocol: HTTP, Compression: compression, Headers: map[string]string{"x-tenant": "a"}})
		if err := e.Write(t.Context(), want); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(flatten(want), decode(received()...)); diff != "" {
			t.Error(diff)
		}
	}
}

// A server may also say at which time it is to be asked again, by its own clock.
func TestHTTPRetryTime(t *testing.T) {
	now := time.Date(2001, 2, 3, 4, 5, 6, 0, time.UTC)
	for text, want := range map[string]time.Duration{
		now.Add(90 * time.Second).Format(http.TimeFormat): 90 * time.Second,
		now.Add(-time.Hour).Format(http.TimeFormat):       firstWait / 10,
		"17": 17 * time.Second, "-5": 0, "soon": 0,
	} {
		r := &http.Response{StatusCode: 503, Header: http.Header{}}
		r.Header.Set("Retry-After", text)
		r.Header.Set("Date", now.Format(http.TimeFormat))
		if got := RetryAfter(fmt.Errorf("delivery: %w", HTTPError(r, nil))); got != want {
			t.Errorf("%q: %v, want %v", text, got, want)
		}
	}
}

// 429, 502, 503 and 504 are worth another try; the server may say when.
func TestHTTPRetries(t *testing.T) {
	for _, code := range []int{429, 502, 503, 504} {
		var first time.Time
		url, received := serveHTTP(t, func(w http.ResponseWriter, try int) bool {
			if try > 1 {
				return false
			}
			first = time.Now()
			w.Header().Set("Retry-After", "1")
			w.WriteHeader(code)
			return true
		})
		e := dial(t, url, Config{Protocol: HTTP, Headers: map[string]string{"x-tenant": "a"}})
		if err := e.Write(t.Context(), randomSnapshot(1, 9)); err != nil || len(received()) != 1 {
			t.Errorf("%d: %v", code, err)
		}
		if waited := time.Since(first); waited < time.Second {
			t.Errorf("%d: tried again after %v, the server said 1 s", code, waited)
		}
	}
}

func TestHTTPRefusals(t *testing.T) {
	for code, want := range map[int]codes.Code{
		400: codes.InvalidArgument, 401: codes.Unauthenticated, 403: codes.PermissionDenied,
		404: codes.Unimplemented, 410: codes.Unimplemented, 413: codes.ResourceExhausted, 415: codes.Unimplemented,
		301: codes.Unimplemented,
		302: codes.Unimplemented, 407: codes.Unauthenticated, 422: codes.InvalidArgument, 500: codes.Internal,
	} {
		tries := 0
		url, _ := serveHTTP(t, func(w http.ResponseWriter, try int) bool {
			tries = try
			w.WriteHeader(code)
			io.WriteString(w, "not \xff today")
			return true
		})
		err := dial(t, url, Config{Protocol: HTTP}).Write(t.Context(), randomSnapshot(1, 9))
		if status.Code(err) != want || tries != 1 || !strings.Contains(err.Error(), "not \uFFFD today") {
			t.Errorf("HTTP %d: %d tries, %v", code, tries, err)
		}
	}
}

// TestHTTPRedirect: where a server sends us is said, and that nobody goes there.
func TestHTTPRedirect(t *testing.T) {
	const to = "https://collector.example/v1development/profiles"
	url, _ := serveHTTP(t, func(w http.ResponseWriter, _ int) bool {
		w.Header().Set("Location", to)
		w.WriteHeader(http.StatusPermanentRedirect)
		return true
	})
	err := dial(t, url, Config{Protocol: HTTP}).Write(t.Context(), randomSnapshot(1, 9))
	redirects := err != nil && strings.Contains(err.Error(), "HTTP 308 Permanent Redirect to "+to+":")
	if status.Code(err) != codes.Unimplemented || !redirects || strings.Contains(err.Error(), "feature-gates") {
		t.Error(err)
	}
}

// A page for people that comes instead of an answer, as of a proxy that wants a login, says that nothing was taken.
func TestHTTPPage(t *testing.T) {
	for kind, want := range map[string]codes.Code{
		"text/html; charset=utf-8": codes.Unimplemented, "Text/HTML": codes.Unimplemented,
		"application/json": codes.OK, "text/plain": codes.OK, "": codes.OK,
	} {
		url, _ := serveHTTP(t, func(w http.ResponseWriter, _ int) bool {
			w.Header()["Content-Type"] = []string{kind}
			io.WriteString(w, "<!doctype html><title>Log in</title>")
			return true
		})
		e := dial(t, url, Config{Protocol: HTTP})
		tried, written := e.Try(t.Context()), e.Write(t.Context(), randomSnapshot(1, 9))
		if status.Code(tried) != want || status.Code(written) != want || Refused(written) {
			t.Errorf("200 with %q: %v, %v", kind, tried, written)
		}
	}
}
