package export

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/hotspan/hotspan/agent/internal/store"
	"github.com/hotspan/hotspan/otlp"
	"github.com/hotspan/hotspan/pprofx"
)

// receiver keeps the times of the samples that it takes. answer may refuse a snapshot.
type receiver struct {
	answer func(*pprofx.Snapshot) error

	mu    sync.Mutex
	times []int64
	keys  []string // of labels
}

func (r *receiver) Write(_ context.Context, s *pprofx.Snapshot) error {
	if r.answer != nil {
		if err := r.answer(s); err != nil {
			return err
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, row := range s.Rows {
		r.times = append(r.times, row.Time)
		for _, l := range s.LabelSets[row.Labels] {
			r.keys = append(r.keys, l.Key)
		}
	}
	return nil
}

// messages is a receiver that takes messages as they are, and keeps them. answer may refuse one.
type messages struct {
	receiver
	taken  [][]byte
	answer func([]byte) error
}

func (m *messages) Messages(s *pprofx.Snapshot) ([][]byte, error) {
	return otlp.Messages(s, otlp.Config{})
}

func (m *messages) Split(message []byte) ([][]byte, error) { return [][]byte{message}, nil }

func (m *messages) WriteMessage(_ context.Context, message []byte) error {
	if m.answer != nil {
		if err := m.answer(message); err != nil {
			return err
		}
	}
	m.taken = append(m.taken, message)
	return nil
}

// fill appends snapshots of ten samples each, one every ten nanoseconds.
func fill(t *testing.T, s *store.Store, snapshots int) {
	t.Helper()
	if err := fillUp(t, s, snapshots); err != nil {
		t.Fatal(err)
	}
}

// fillUp does, and returns what the disk says of the last.
func fillUp(t *testing.T, s *store.Store, snapshots int) (err error) {
	t.Helper()
	b, err := pprofx.NewBuilder(1000, 10)
	if err != nil {
		t.Fatal(err)
	}
	for i := range int64(snapshots) {
		for j := range int64(10) {
			b.Add(&pprofx.Sample{Time: 1000 + 100*i + 10*j, PID: 1, TID: 1, Stop: pprofx.StopRoot,
				Stack:  []*pprofx.Frame{{Function: "f"}},
				Labels: []pprofx.Label{{Key: "http.route", Str: "/"}, {Key: "tenant", Str: "a"}}})
		}
		cut := b.Cut(1100 + 100*i)
		frame, encoding := otlp.Compress(cut, otlp.Agent{})
		if encoding != nil {
			t.Fatal(encoding)
		}
		_, err = s.Append(frame, cut.Start, cut.End)
	}
	return err
}

// fixture is a destination of a store, and what it logs.
func fixture(t *testing.T, r Receiver, keep func(*pprofx.Label) bool) (*store.Store, *Destination, *bytes.Buffer) {
	t.Helper()
	s, err := store.Open(t.TempDir(), store.Limits{Bytes: 1 << 30})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	var log bytes.Buffer
	d, err := New("a", r, keep, s, slog.New(slog.NewTextHandler(&log, nil)))
	if err != nil {
		t.Fatal(err)
	}
	return s, d, &log
}

// deliverAll runs a destination until nothing waits.
func deliverAll(t *testing.T, d *Destination) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	done := make(chan struct{})
	go func() { d.Run(ctx); close(done) }()
	for d.Stats().Waiting > 0 && ctx.Err() == nil {
		time.Sleep(time.Millisecond)
	}
	cancel()
	<-done
}

// times are those of all samples but some, of so many snapshots.
func times(snapshots int, without ...int64) (all []int64) {
	for at := int64(1000); at < int64(1000+100*snapshots); at += 10 {
		if !slices.Contains(without, at) {
			all = append(all, at)
		}
	}
	return all
}

// A receiver that is away for a while gets everything, in order and once.
func TestFailures(t *testing.T) {
	failures := 2
	r := &receiver{answer: func(*pprofx.Snapshot) error {
		if failures--; failures >= 0 {
			return errors.New("away")
		}
		return nil
	}}
	s, d, log := fixture(t, r, nil)
	fill(t, s, 5)
	deliverAll(t, d)
	if !slices.Equal(r.times, times(5)) {
		t.Errorf("%v", r.times)
	}
	if got := d.Stats(); got != (Stats{Snapshots: 5, Samples: 50, Failures: 2}) {
		t.Errorf("%+v", got)
	}
	if n := strings.Count(log.String(), "snapshots wait"); n != 1 || !strings.Contains(log.String(), "again") {
		t.Errorf("want one line when it begins and one when it ends: %s", log)
	}
}

// Where the disk does not take how far a destination has come, it delivers all the same, and the next of its name goes
// on where it was. That is said.
func TestPlaceIsNotKept(t *testing.T) {
	dir := t.TempDir()
	s, err := store.Open(dir, store.Limits{Bytes: 1 << 30})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	// Nothing can be written to it any more, nor to one in its place.
	if err := errors.Join(os.RemoveAll(dir), os.WriteFile(dir, nil, 0o600)); err != nil {
		t.Fatal(err)
	}
	r := &receiver{}
	var log bytes.Buffer
	var both [2]*Destination
	for i := range both {
		if both[i], err = New("a", r, nil, s, slog.New(slog.NewTextHandler(&log, nil))); err != nil {
			t.Fatal(err)
		}
	}
	if err := fillUp(t, s, 2); err == nil {
		t.Fatal("the disk takes snapshots")
	}
	deliverAll(t, both[0])
	both[1].Continue(both[0])
	deliverAll(t, both[1])
	if got := both[1].Stats(); got != (Stats{Snapshots: 2, Samples: 20}) || !slices.Equal(r.times, times(2)) {
		t.Errorf("%+v; %v", got, r.times)
	}
	for _, says := range []string{"where an output begins is not kept", "how far an output has come is not kept"} {
		if !strings.Contains(log.String(), says) {
			t.Errorf("%q, want %q", log.String(), says)
		}
	}
}

// What a receiver has taken is delivered, also if the agent ends at that moment.
func TestTakenAtTheEnd(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	r := &receiver{answer: func(*pprofx.Snapshot) error { cancel(); return nil }}
	s, d, _ := fixture(t, r, nil)
	fill(t, s, 1)
	d.Run(ctx)
	if got, want := d.Stats(), (Stats{Snapshots: 1, Samples: 10}); got != want || !slices.Equal(r.times, times(1)) {
		t.Errorf("%+v, want %+v", got, want)
	}
}

// What a receiver refuses is halved once: the half with the cause is dropped and counted, and blocks nothing.
func TestRefused(t *testing.T) {
	r := &receiver{answer: func(s *pprofx.Snapshot) error {
		for _, row := range s.Rows {
			if row.Time == 1270 {
				return status.Error(codes.InvalidArgument, "poison")
			}
		}
		return nil
	}}
	s, d, log := fixture(t, r, nil)
	fill(t, s, 5)
	deliverAll(t, d)
	if want := times(5, 1250, 1260, 1270, 1280, 1290); !slices.Equal(r.times, want) {
		t.Errorf("%v, want %v", r.times, want)
	}
	why := status.Error(codes.InvalidArgument, "poison").Error()
	if got := d.Stats(); got != (Stats{Snapshots: 5, Samples: 45, Dropped: 5, Why: why}) {
		t.Errorf("%+v", got)
	}
	if !strings.Contains(log.String(), "samples=5") || !strings.Contains(log.String(), "poison") {
		t.Errorf("%s", log)
	}
}

// A receiver that refuses everything is named at once, and not with each snapshot; what is dropped meanwhile is said
// later, also when it takes snapshots again.
func TestDropsSaid(t *testing.T) {
	refuses := true
	r := &receiver{answer: func(*pprofx.Snapshot) error {
		if refuses {
			return status.Error(codes.InvalidArgument, "no profiles here")
		}
		return nil
	}}
	s, d, log := fixture(t, r, nil)
	said := func(want ...string) {
		t.Helper()
		lines := strings.Split(strings.TrimSpace(log.String()), "\n")
		for i, line := range lines {
			if len(lines) != len(want) || !strings.Contains(line, "samples dropped") ||
				!strings.Contains(line, want[i]) {
				t.Fatalf("%q, want %q", lines, want)
			}
		}
	}
	fill(t, s, 5)
	deliverAll(t, d)
	said("samples=10 ")
	refuses, d.untold.dropped = false, d.untold.dropped.Add(-lossesEvery)
	fill(t, s, 2)
	deliverAll(t, d)
	said("samples=10 ", "samples=40 ")
	why := status.Error(codes.InvalidArgument, "no profiles here").Error()
	if got := d.Stats(); got != (Stats{Snapshots: 7, Samples: 20, Dropped: 50, Why: why}) {
		t.Errorf("%+v", got)
	}
}

// That snapshots are removed before a receiver that is down takes them is said while it is down.
func TestRemovedSaid(t *testing.T) {
	var d *Destination
	var s *store.Store
	var log *bytes.Buffer
	tries := 0
	r := &receiver{answer: func(*pprofx.Snapshot) error {
		if tries++; tries == 1 {
			s.SetLimits(store.Limits{Bytes: 1}) // keeps the newest
			return errors.New("away")
		}
		if !strings.Contains(log.String(), "snapshots removed before they were delivered") ||
			!strings.Contains(log.String(), "snapshots=3\n") {
			t.Errorf("%s", log)
		}
		return nil
	}}
	s, d, log = fixture(t, r, nil)
	fill(t, s, 5)
	deliverAll(t, d)
	if got := d.Stats(); got != (Stats{Snapshots: 2, Samples: 20, Failures: 1, Evicted: 3}) || tries != 3 {
		t.Errorf("%+v, %d tries", got, tries)
	}
}

// What is said of a failure is what has to be mended, also where that shows only once something else is: a Collector
// that is started at last, and takes no profiles.
func TestFailuresSaid(t *testing.T) {
	tries := 0
	r := &receiver{answer: func(*pprofx.Snapshot) error {
		tries++
		return map[int]error{
			1: status.Error(codes.Unavailable, "nobody is there"), 2: status.Error(codes.Unavailable, "still nobody"),
			3: status.Error(codes.Unimplemented, "no profiles here"),
		}[tries]
	}}
	s, d, log := fixture(t, r, nil)
	fill(t, s, 1)
	deliverAll(t, d)
	lines := strings.Split(strings.TrimSpace(log.String()), "\n")
	if len(lines) != 3 || !strings.Contains(lines[0], "nobody is there") ||
		!strings.Contains(lines[1], "no profiles here") || !strings.Contains(lines[2], "delivered again") {
		t.Errorf("%q", lines)
	}
}

// A destination that was away and now refuses everything does not count as one that is delivered to again.
func TestRefusedIsNotDelivered(t *testing.T) {
	tries := 0
	r := &receiver{answer: func(*pprofx.Snapshot) error {
		if tries++; tries == 1 {
			return status.Error(codes.Unavailable, "nobody is there")
		}
		return status.Error(codes.InvalidArgument, "no profiles here")
	}}
	s, d, log := fixture(t, r, nil)
	fill(t, s, 1)
	deliverAll(t, d)
	got := d.Stats()
	if got.Since.IsZero() || got.Dropped != 10 || strings.Contains(log.String(), "delivered again") ||
		!strings.Contains(got.Why, "no profiles here") {
		t.Errorf("%+v: %s", got, log)
	}
}

// A half that was delivered is not delivered again where the other one has to wait.
func TestHalfWaits(t *testing.T) {
	tries := 0
	r := &receiver{answer: func(s *pprofx.Snapshot) error {
		switch tries++; {
		case len(s.Rows) == 10:
			return status.Error(codes.InvalidArgument, "too large")
		case tries == 3:
			return status.Error(codes.Unavailable, "not now")
		}
		return nil
	}}
	s, d, _ := fixture(t, r, nil)
	fill(t, s, 1)
	deliverAll(t, d)
	if want := times(1); !slices.Equal(r.times, want) {
		t.Errorf("%v, want %v", r.times, want)
	}
	if got := d.Stats(); got != (Stats{Snapshots: 1, Samples: 10, Failures: 1}) {
		t.Errorf("%+v", got)
	}
}

func TestPartialSuccess(t *testing.T) {
	partial := &otlp.PartialError{Rejected: 1, Of: 2}
	r := &receiver{answer: func(*pprofx.Snapshot) error { return partial }}
	s, d, _ := fixture(t, r, nil)
	fill(t, s, 1)
	deliverAll(t, d)
	if got := d.Stats(); got != (Stats{Snapshots: 1, Samples: 5, Dropped: 5, Why: partial.Error()}) {
		t.Errorf("%+v", got)
	}
}

func TestDamagedSnapshot(t *testing.T) {
	r := &receiver{}
	s, d, log := fixture(t, r, nil)
	fill(t, s, 1)
	if _, err := s.Append([]byte("not a frame"), 1100, 1200); err != nil {
		t.Fatal(err)
	}
	deliverAll(t, d)
	got, want := d.Stats(), Stats{Snapshots: 1, Samples: 10, Damaged: 1}
	if got != want || !strings.Contains(log.String(), "number=2") {
		t.Errorf("%+v, want %+v: %s", got, want, log)
	}
}

// Snapshots that the store removes before they are read are counted, whenever that is.
func TestRemoved(t *testing.T) {
	s, d, _ := fixture(t, &receiver{}, nil)
	fill(t, s, 1)
	if err := d.deliver(t.Context(), store.Entry{Sequence: 99, Start: 1, End: 2}); err != nil {
		t.Fatal(err)
	}
	deliverAll(t, d)
	if got, want := d.Stats(), (Stats{Snapshots: 1, Samples: 10, Evicted: 1}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
}

func TestLabels(t *testing.T) {
	r := &receiver{}
	s, d, _ := fixture(t, r, func(l *pprofx.Label) bool { return l.Key == "http.route" })
	fill(t, s, 1)
	deliverAll(t, d)
	if len(r.keys) != 10 || slices.Contains(r.keys, "tenant") {
		t.Errorf("%v", r.keys)
	}
}

// A receiver of messages that gets all labels gets what is stored, byte by byte; one that refuses that gets halves.
func TestStoredMessages(t *testing.T) {
	poison := false
	r := &messages{answer: func(message []byte) error {
		if c, err := otlp.Count(message); err != nil || poison && c.Samples == 10 {
			return status.Error(codes.InvalidArgument, "poison")
		}
		return nil
	}}
	s, d, _ := fixture(t, r, nil)
	fill(t, s, 2)
	deliverAll(t, d)
	entries, _ := s.From(0)
	for i, e := range entries {
		frame, err := s.Read(e)
		if err != nil {
			t.Fatal(err)
		}
		message, err := otlp.Decompress(frame)
		if err != nil || !bytes.Equal(message, r.taken[i]) {
			t.Errorf("snapshot %d: %d bytes of %d, %v", i, len(r.taken[i]), len(message), err)
		}
	}
	if got := d.Stats(); got != (Stats{Snapshots: 2, Samples: 20}) || len(r.taken) != 2 || len(r.times) != 0 {
		t.Errorf("%+v; %d messages", got, len(r.taken))
	}
	poison = true
	fill(t, s, 1)
	deliverAll(t, d)
	if got := d.Stats(); got != (Stats{Snapshots: 3, Samples: 30}) || len(r.taken) != 4 {
		t.Errorf("%+v; %d messages, want two whole ones and two halves", got, len(r.taken))
	}
}

// One that does not get all labels gets messages with those that it gets.
func TestLabelsOfMessages(t *testing.T) {
	r := &messages{}
	s, d, _ := fixture(t, r, func(l *pprofx.Label) bool { return l.Key == "http.route" })
	fill(t, s, 1)
	deliverAll(t, d)
	if len(r.taken) != 1 {
		t.Fatalf("%d messages", len(r.taken))
	}
	got, err := otlp.Decode(r.taken[0])
	if err != nil {
		t.Fatal(err)
	}
	for _, labels := range got.LabelSets[1:] {
		if len(got.Rows) != 10 || len(labels) != 1 || labels[0].Key != "http.route" {
			t.Errorf("%d samples; %v", len(got.Rows), labels)
		}
	}
}

// tried is a receiver that says at the start whether it takes snapshots.
type tried struct {
	receiver
	err error
}

func (r *tried) Try(context.Context) error { return r.err }
func (r *tried) Speaks() string            { return "a protocol" }

func TestTry(t *testing.T) {
	for says, err := range map[string]error{
		"a destination takes profiles":        nil,
		"a destination takes no profiles yet": errors.New("nobody is there"),
	} {
		s, d, log := fixture(t, &tried{err: err}, nil)
		d.try(t.Context())
		if got := d.Stats(); got.Since.IsZero() != (err == nil) || err != nil && got.Why != err.Error() {
			t.Errorf("%s: failing since %v: %s", says, got.Since, got.Why)
		}
		fill(t, s, 1)
		deliverAll(t, d)
		if !strings.Contains(log.String(), says) || !strings.Contains(log.String(), "a protocol") {
			t.Errorf("%q, want %q", log, says)
		}
		if n := d.Stats().Samples; n != 10 {
			t.Errorf("%s: %d samples delivered", says, n)
		}
	}
}
