package pyroscope

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/pprof/profile"
	"google.golang.org/protobuf/encoding/protowire"

	"github.com/hotspan/hotspan/otlp"
	"github.com/hotspan/hotspan/pprofx"
)

// snapshot has samples of two processes of one service, and of one without a service.
func snapshot(t *testing.T, samples int) *pprofx.Snapshot {
	t.Helper()
	b, err := pprofx.NewBuilder(1, 10)
	if err != nil {
		t.Fatal(err)
	}
	b.SetProcess(1, pprofx.Process{Service: "shop", Executable: "/usr/bin/node"})
	b.SetProcess(2, pprofx.Process{Service: "shop", Executable: "/usr/bin/node"})
	b.SetProcess(3, pprofx.Process{Executable: "/opt/app/worker"})
	for i := range samples {
		b.Add(&pprofx.Sample{Time: int64(1 + i), PID: 1 + i%3, TID: 100 + i, Thread: "t", State: pprofx.State(i % 5),
			Stop: pprofx.StopRoot, Stack: []*pprofx.Frame{{Function: "f"}},
			Labels: []pprofx.Label{{Key: "http.route", Str: "/"}, {Key: "span_id", Str: "00000000000000ab"}}})
	}
	return b.Cut(int64(samples + 1))
}

// request is all requests of a snapshot as one.
func request(t *testing.T, s *pprofx.Snapshot, per string) (all []byte) {
	t.Helper()
	for _, one := range allSeries(s, per) {
		message, err := one.request()
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, message...)
	}
	return all
}

// fields returns the values of a field of a message.
func fields(t *testing.T, message []byte, number protowire.Number) (all [][]byte) {
	t.Helper()
	for len(message) > 0 {
		n, kind, size := protowire.ConsumeTag(message)
		if size < 0 || kind != protowire.BytesType {
			t.Fatalf("field %d of type %d", n, kind)
		}
		value, length := protowire.ConsumeBytes(message[size:])
		if length < 0 {
			t.Fatal("malformed")
		}
		if n == number {
			all = append(all, value)
		}
		message = message[size+length:]
	}
	return all
}

// labelsOf returns the labels of a series.
func labelsOf(t *testing.T, series []byte) map[string]string {
	t.Helper()
	labels := map[string]string{}
	for _, pair := range fields(t, series, 1) {
		labels[string(fields(t, pair, 1)[0])] = string(fields(t, pair, 2)[0])
	}
	return labels
}

// Each service is one series with a profile that has the labels of requests, and of threads none.
func TestRequest(t *testing.T) {
	message := request(t, snapshot(t, 30), "")
	got := map[string]int64{}
	for _, series := range fields(t, message, 1) {
		labels := labelsOf(t, series)
		if labels["__name__"] != "process_cpu" || len(labels) != 2 {
			t.Errorf("%v", labels)
		}
		for _, sample := range fields(t, series, 2) {
			p, err := profile.ParseData(fields(t, sample, 1)[0])
			if err != nil {
				t.Fatal(err)
			}
			for _, s := range p.Sample {
				keys := append(slices.Collect(maps.Keys(s.Label)), slices.Collect(maps.Keys(s.NumLabel))...)
				slices.Sort(keys)
				if diff := cmp.Diff([]string{"http_route", "span_id"}, keys); diff != "" {
					t.Error(diff)
				}
				got[labels["service_name"]] += s.Value[0]
			}
		}
	}
	if diff := cmp.Diff(map[string]int64{"shop": 20, "worker": 10}, got); diff != "" {
		t.Error(diff)
	}
}

// With Config.ProfilePer each value of a label is a series, up to a limit, and nothing is lost.
func TestSeriesPerRoute(t *testing.T) {
	const routes = pprofx.MaxGroups + 20
	b, err := pprofx.NewBuilder(1, 10)
	if err != nil {
		t.Fatal(err)
	}
	b.SetProcess(1, pprofx.Process{Service: "shop"})
	want := map[string]int64{"": 3, pprofx.OtherValue: 20}
	at := int64(0)
	add := func(route string, samples int) {
		for range samples {
			at++
			s := &pprofx.Sample{Time: at, PID: 1, TID: 1, Stack: []*pprofx.Frame{{Function: "f"}}}
			if route != "" {
				s.Labels = []pprofx.Label{{Key: "http.route", Str: route}, {Key: "span_id", Str: "00000000000000ab"}}
			}
			b.Add(s)
		}
	}
	add("", 3)
	for i := range routes {
		route, samples := fmt.Sprint("/", i), 1+min(1, i/20)
		if add(route, samples); samples > 1 {
			want[route] = 2
		}
	}
	message := request(t, b.Cut(at+1), "http.route")
	got := map[string]int64{}
	for _, series := range fields(t, message, 1) {
		p, err := profile.ParseData(fields(t, fields(t, series, 2)[0], 1)[0])
		if err != nil {
			t.Fatal(err)
		}
		labels := labelsOf(t, series)
		for _, s := range p.Sample {
			got[labels["http_route"]] += s.Value[0]
			if len(s.Label["http_route"]) != 0 || labels["service_name"] != "shop" {
				t.Errorf("%v in the series %v", s.Label, labels)
			}
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// Pyroscope keeps one profile of a series and a time.
func TestManySamples(t *testing.T) {
	message := request(t, snapshot(t, 3*maxRows), "")
	var sum int64
	times := map[int64]bool{}
	series := fields(t, message, 1)
	for _, one := range series {
		p, err := profile.ParseData(fields(t, fields(t, one, 2)[0], 1)[0])
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range p.Sample {
			sum += s.Value[0]
		}
		if labelsOf(t, one)["service_name"] == "shop" {
			times[p.TimeNanos] = true
		}
	}
	if len(series) != 3 || sum != 3*maxRows || len(times) != 2 {
		t.Errorf("%d profiles of %d samples, of shop at %d times, want 3 of %d, at 2", len(series), sum, len(times),
			3*maxRows)
	}
}

func TestWrite(t *testing.T) {
	code := http.StatusOK
	var path, tenant, kind string
	var body []byte
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		path, tenant, kind = r.URL.Path, r.Header.Get("X-Scope-OrgID"), r.Header.Get("Content-Type")
		one, _ := io.ReadAll(r.Body)
		body = append(body, one...)
		w.WriteHeader(code)
		io.WriteString(w, `{"code":"invalid_argument","message":"too many labels"}`)
	}))
	defer s.Close()
	withPassword := strings.Replace(s.URL, "://", "://u:hunter2@", 1)
	p := New(Config{URL: withPassword, Headers: map[string]string{"x-scope-orgid": "a"}, Timeout: time.Minute})
	defer p.Close()
	if err := p.Write(t.Context(), snapshot(t, 3)); err != nil {
		t.Fatal(err)
	}
	if path != pushPath || tenant != "a" || kind != "application/proto" || !bytes.Contains(body, []byte("shop")) {
		t.Errorf("%s, tenant %q, %s, %d bytes", path, tenant, kind, len(body))
	}
	for refused, want := range map[int]bool{400: true, 422: true, 429: false, 500: false, 503: false, 401: false} {
		code = refused
		err := p.Write(t.Context(), snapshot(t, 3))
		if err == nil || otlp.Refused(err) != want || !strings.Contains(err.Error(), "too many labels") ||
			strings.Contains(err.Error(), "hunter2") {
			t.Errorf("HTTP %d: %v", refused, err)
		}
	}
	for what, elsewhere := range map[string]http.Handler{
		"redirected": http.RedirectHandler("/login", http.StatusFound),
		"a page for people": http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			io.WriteString(w, "<!doctype html><title>Log in</title>")
		}),
	} {
		login := httptest.NewServer(elsewhere)
		defer login.Close()
		moved := New(Config{URL: login.URL, Timeout: time.Minute})
		defer moved.Close()
		if err := moved.Write(t.Context(), snapshot(t, 3)); err == nil || otlp.Refused(err) {
			t.Errorf("%s: %v", what, err)
		}
	}
	s.Close()
	if err := p.Write(t.Context(), snapshot(t, 3)); err == nil || otlp.Refused(err) {
		t.Errorf("no server: %v", err)
	}
	if err := p.Write(t.Context(), &pprofx.Snapshot{Start: 1, End: 2, Period: 1}); err != nil {
		t.Errorf("nothing to send: %v", errors.Unwrap(err))
	}
}
