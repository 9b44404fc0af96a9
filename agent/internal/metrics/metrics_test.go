package metrics

import (
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/hotspan/hotspan/agent/internal/export"
	"github.com/hotspan/hotspan/agent/internal/store"
)

// get returns the status and the body of a page.
func get(t *testing.T, s *Server, page string) (int, string) {
	t.Helper()
	r, err := http.Get("http://" + s.Address() + page)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	body, err := io.ReadAll(r.Body)
	if err != nil {
		t.Fatal(err)
	}
	return r.StatusCode, string(body)
}

func TestMetrics(t *testing.T) {
	v := Values{
		Cut: time.Now(), Taken: 10, Written: 7, Lost: map[string]int64{"ring buffer full": 2, "late": 1},
		SnapshotsLost: 51, HeldBack: 2500 * time.Millisecond, Unsampled: time.Second,
		JS: 6, Named: 5, Requests: 4, Labelled: 3, Processes: 2,
		Executables: 8, Rate: 99, CPU: 1500 * time.Millisecond, Memory: 32, MapBytes: 31, CaptureMaps: 33, Saving: 4,
		SessionMaps:  SessionMaps{Running: 41, Ended: 42},
		Store:        store.Stats{Snapshots: 11, Bytes: 12, Evicted: 13, Unwritten: 14},
		Destinations: map[string]export.Stats{"a": {Samples: 21, Waiting: 22}, "b": {Dropped: 23, Failures: 24}},
	}
	s, err := Listen("127.0.0.1:0", func() Values { return v }, nil, slog.Default())
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	code, text := get(t, s, "/metrics")
	for _, line := range []string{
		"hotspan_samples_taken_total 10", "hotspan_samples_written_total 7",
		`hotspan_samples_lost_total{reason="ring buffer full"} 2`, `hotspan_samples_lost_total{reason="late"} 1`,
		"hotspan_snapshots_lost_total 51", "hotspan_timer_held_back_seconds_total 2.5",
		"hotspan_unsampled_starts_seconds_total 1",
		"hotspan_samples_js_total 6", "hotspan_samples_named_total 5", "hotspan_samples_in_requests_total 4",
		"hotspan_samples_labelled_total 3", "hotspan_processes 2", "hotspan_store_snapshots 11",
		"hotspan_store_bytes 12", "hotspan_store_removed_total 13", "hotspan_store_unwritten_total 14",
		`hotspan_export_samples_total{sink="a"} 21`, `hotspan_export_waiting_snapshots{sink="a"} 22`,
		`hotspan_export_refused_samples_total{sink="b"} 23`, `hotspan_export_failures_total{sink="b"} 24`,
		"hotspan_executables 8", "hotspan_rate 99", "hotspan_cpu_seconds_total 1.5", "hotspan_memory_bytes 32",
		"hotspan_bpf_map_bytes 31", "hotspan_capture_bpf_map_bytes 33", "hotspan_memory_saving 4",
		`hotspan_session_maps{session="running"} 41`, `hotspan_session_maps{session="ended"} 42`,
		"# TYPE hotspan_store_bytes gauge", "# TYPE hotspan_samples_taken_total counter",
	} {
		if !strings.Contains(text, "\n"+line+"\n") && !strings.HasPrefix(text, line) {
			t.Errorf("code %d: no line %q", code, line)
		}
	}
	if !strings.Contains(text, "\nprocess_resident_memory_bytes ") {
		t.Error("no memory of the process")
	}
}

func TestHealth(t *testing.T) {
	for name, test := range map[string]struct {
		cut            time.Time
		ready, healthy int
	}{
		"starting": {time.Time{}, 503, 503},
		"well":     {time.Now(), 200, 200},
		"hung":     {time.Now().Add(-time.Hour), 200, 503},
	} {
		s, err := Listen("localhost:0", func() Values { return Values{Cut: test.cut, Hung: time.Minute} }, nil,
			slog.Default())
		if err != nil {
			t.Fatal(err)
		}
		ready, _ := get(t, s, "/readyz")
		healthy, text := get(t, s, "/healthz")
		if ready != test.ready || healthy != test.healthy {
			t.Errorf("%s: ready %d, healthy %d: %s", name, ready, healthy, text)
		}
		s.Close()
	}
}

func TestListenErrors(t *testing.T) {
	busy, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer busy.Close()
	for address, says := range map[string]string{
		"0.0.0.0:1": "on loopback", ":1": "on loopback", "192.168.0.1:1": "on loopback", "example.com:1": "on loopback",
		"127.0.0.1": "missing port", busy.Addr().String(): "in use",
	} {
		if s, err := Listen(address, nil, nil, slog.Default()); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v, %v, want %q", address, s, err, says)
		}
	}
}

// TestIdleConnections: who holds as many connections as it can get, and asks for nothing any more, keeps nobody out.
func TestIdleConnections(t *testing.T) {
	s, err := Listen("127.0.0.1:0", func() Values { return Values{Cut: time.Now()} }, nil, slog.Default())
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for range 64 {
		c, err := net.Dial("tcp", s.Address())
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		if _, err := io.WriteString(c, "GET /readyz HTTP/1.1\r\nHost: localhost\r\n\r\n"); err != nil {
			t.Fatal(err)
		}
	}
	answer, err := http.Get("http://" + s.Address() + "/readyz")
	if err != nil {
		t.Fatal(err)
	}
	if answer.Body.Close(); answer.StatusCode != http.StatusOK {
		t.Error(answer.Status)
	}
}

// A page of a browser on this machine may have a name that leads here. It gets nothing, unlike who asks this machine.
func TestOtherNames(t *testing.T) {
	s, err := Listen("127.0.0.1:0", func() Values { return Values{} }, nil, slog.Default())
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for name, want := range map[string]int{
		"localhost:7071": 200, "127.0.0.1": 200, "[::1]:7071": 200, "10.1.2.3:80": 200, "LOCALHOST": 200,
		"evil.example:7071": 403, "localhost.evil.example": 403, "127.0.0.1.evil.example:7071": 403,
	} {
		r, err := http.NewRequest(http.MethodGet, "http://"+s.Address()+"/metrics", nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Host = name
		answer, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		answer.Body.Close()
		if answer.StatusCode != want {
			t.Errorf("as %s: %d, want %d", name, answer.StatusCode, want)
		}
	}
}

// Who announces a body and does not send it does not keep a connection.
func TestBodyThatNeverComes(t *testing.T) {
	s, err := Listen("127.0.0.1:0", func() Values { return Values{} }, nil, slog.Default())
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	c, err := net.Dial("tcp", s.Address())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	const request = "GET /metrics HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\n"
	if _, err := io.WriteString(c, request); err != nil {
		t.Fatal(err)
	}
	begin := time.Now()
	_ = c.SetReadDeadline(begin.Add(4 * bodyTime)) // if it fails, the test ends later
	if _, err := io.Copy(io.Discard, c); err != nil {
		t.Errorf("still open after %v: %v", time.Since(begin), err)
	}
}
