package export

import (
	"context"
	"io/fs"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/hotspan/hotspan/agent/internal/store"
	"github.com/hotspan/hotspan/otlp"
	"github.com/hotspan/hotspan/pprofx"
)

// crashing is a collector that resets the connection at each snapshot with the sample of 1020, and at all while it is
// down.
type crashing struct {
	collector
	down    atomic.Bool
	crashes atomic.Int32
}

func (c *crashing) serve(t *testing.T) *otlp.Exporter {
	t.Helper()
	c.answer = func(s *pprofx.Snapshot) int {
		if c.down.Load() || slices.ContainsFunc(s.Rows, func(r pprofx.Row) bool { return r.Time == 1020 }) {
			c.crashes.Add(1)
			return http.StatusTeapot
		}
		return http.StatusOK
	}
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		answer := httptest.NewRecorder()
		if c.ServeHTTP(answer, r); answer.Code != http.StatusTeapot {
			w.WriteHeader(answer.Code)
			return
		}
		if connection, _, err := w.(http.Hijacker).Hijack(); err == nil {
			connection.(*net.TCPConn).SetLinger(0)
			connection.Close()
		}
	}))
	t.Cleanup(web.Close)
	e, err := otlp.Dial(web.URL, otlp.Config{Protocol: otlp.HTTP, GiveUp: 200 * time.Millisecond,
		Compression: otlp.Uncompressed})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { e.Close() })
	return e
}

// suspect has the first snapshot count as tried for minutes.
func suspect(t *testing.T, d *Destination) {
	t.Helper()
	entries, _ := d.from.From(0)
	s, err := d.read(entries[0])
	if err != nil {
		t.Fatal(err)
	}
	s.left[0].suspect = true
	d.early[entries[0].Sequence] = s
}

// A snapshot at which a receiver crashes each time, while it takes others between, is halved, and the half with the
// cause dropped. What overtook it is there once.
func TestCrash(t *testing.T) {
	t.Parallel()
	c := &crashing{}
	s, d, log := fixture(t, c.serve(t), nil)
	fill(t, s, 8)
	suspect(t, d)
	deliverAll(t, d)
	slices.Sort(c.times)
	if want := times(8, 1000, 1010, 1020, 1030, 1040); !slices.Equal(c.times, want) {
		t.Errorf("%v, want %v: %s", c.times, want, log)
	}
	failures := int64(c.crashes.Load() - 2) // the last of the whole and of the half are no failures: they are passed
	if got := d.Stats(); got != (Stats{Snapshots: 8, Samples: 75, Dropped: 5, Failures: failures}) || failures != 6 {
		t.Errorf("%+v, %d failures", got, failures)
	}
	if !strings.Contains(log.String(), "takes later ones") || len(d.early) != 0 {
		t.Errorf("%d early: %s", len(d.early), log)
	}
}

// While a receiver is down nothing is lost, however long that is.
func TestDown(t *testing.T) {
	t.Parallel()
	c := &crashing{}
	c.down.Store(true)
	s, d, log := fixture(t, c.serve(t), nil)
	fill(t, s, 8)
	suspect(t, d)
	ctx, cancel := context.WithTimeout(t.Context(), 8*time.Second)
	defer cancel()
	d.Run(ctx)
	if got := d.Stats(); got.Dropped != 0 || got.Snapshots != 0 || c.crashes.Load() < 5 {
		t.Errorf("%+v after %d crashes: %s", got, c.crashes.Load(), log)
	}
}

// What an error says of when to come again, or of a disk, is not because of the snapshot.
func TestIsSuspect(t *testing.T) {
	notYet := otlp.HTTPError(&http.Response{StatusCode: 429, Header: http.Header{"Retry-After": {"1"}}}, nil)
	for err, want := range map[error]bool{
		status.Error(codes.Unavailable, "connection reset"): true,
		status.Error(codes.Internal, "nil pointer"):         true,
		notYet:                           false,
		&fs.PathError{Err: fs.ErrClosed}: false,
	} {
		s := &stored{left: []part{{}}, tries: manyTries - 1}
		if s.isSuspect(err) {
			t.Errorf("%v after %d tries", err, s.tries)
		}
		if s.tries++; s.isSuspect(err) != want {
			t.Errorf("%v: want %v", err, want)
		}
	}
}

// What was sent before its turn, and removed from the store then, does not count as removed.
func TestEarlyRemoved(t *testing.T) {
	s, d, _ := fixture(t, &receiver{}, nil)
	fill(t, s, 3)
	entries, _ := s.From(0)
	if !d.overtake(t.Context(), entries[0]) || !d.overtake(t.Context(), entries[0]) {
		t.Fatal("nothing is sent")
	}
	s.SetLimits(store.Limits{Bytes: 1})
	fill(t, s, 1)
	deliverAll(t, d)
	if got := d.Stats(); got != (Stats{Snapshots: 3, Samples: 30, Evicted: 1}) || len(d.early) != 0 {
		t.Errorf("%+v; %d early", got, len(d.early))
	}
}
