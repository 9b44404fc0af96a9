package serve_test

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/hotspan/hotspan/agent/api"
	"github.com/hotspan/hotspan/agent/client"
	"github.com/hotspan/hotspan/agent/internal/live"
	"github.com/hotspan/hotspan/agent/internal/serve"
	"github.com/hotspan/hotspan/agent/internal/store"
	"github.com/hotspan/hotspan/pprofx"
)

// served is a running server, and what it serves.
type served struct {
	store    *store.Store
	dir      string
	feed     *live.Feed
	captures chan serve.Capture
	socket   string
	server   *serve.Server
	sampled  func(context.Context, serve.Capture) error // in the place of what a capture does; nil: not
}

// start serves a store with n snapshots of 10 samples of each process. Its captures send one snapshot.
func start(t *testing.T, n int, pids ...int) *served {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "store")
	kept, err := store.Open(dir, store.Limits{Bytes: 1 << 30})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { kept.Close() })
	s := &served{store: kept, dir: dir, feed: live.NewFeed(), captures: make(chan serve.Capture, 10)}
	s.add(t, n, pids...)
	sockets, err := os.MkdirTemp("/tmp", "hotspan") // a path that others may enter, and not too long for a socket
	if err == nil {
		err = os.Chmod(sockets, 0o755)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(sockets) })
	s.socket = filepath.Join(sockets, "agent.sock")
	server, err := serve.Listen(serve.Config{
		Socket: s.socket, Store: kept, Feed: s.feed, Log: slog.New(slog.DiscardHandler),
		Capture: func(ctx context.Context, of serve.Capture) error {
			s.captures <- of
			if of.Rate == 1 {
				return errors.New("no such luck")
			}
			if s.sampled != nil {
				return s.sampled(ctx, of)
			}
			<-ctx.Done()
			return of.To(context.Background(), snapshot(t, 0, of.PID))
		},
		Status: func() *api.StatusResponse { return &api.StatusResponse{Version: "test", Taken: 7} },
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { server.Close() })
	s.server = server
	return s
}

// second is the length of the snapshots. The first begins at base.
const second = int64(time.Second)

var base = time.Now().Unix() * second

// snapshot returns a snapshot of second n, from 1 on: for each process 5 samples of /a and 5 of /b.
func snapshot(t *testing.T, n int64, pids ...int) *pprofx.Snapshot {
	t.Helper()
	from := base + (n-1)*second
	b, err := pprofx.NewBuilder(from, 1000)
	if err != nil {
		t.Fatal(err)
	}
	frames := []*pprofx.Frame{
		{Function: "sys_read", Kind: pprofx.Kernel, Module: "[kernel]", Address: 0xffffffff81000000},
		{Function: "main", Kind: pprofx.JS, File: "main.js", Line: 3},
	}
	for i, pid := range pids {
		b.SetProcess(pid, pprofx.Process{Service: []string{"one", "two"}[i%2]})
		for at := range int64(10) {
			b.Add(&pprofx.Sample{
				Time: from + at*second/10, PID: pid, TID: pid, State: pprofx.StateJS, Stop: pprofx.StopRoot,
				Stack:  frames,
				Labels: []pprofx.Label{{Key: "http.route", Str: []string{"/a", "/b"}[at%2]}, {Key: "tenant", Str: "x"}},
			})
		}
	}
	b.Lose(pprofx.LostExited, 2)
	return b.Cut(from + second)
}

// add adds n snapshots to the store.
func (s *served) add(t *testing.T, n int, pids ...int) {
	t.Helper()
	for range n {
		entries, _ := s.store.From(0)
		s.append(t, snapshot(t, int64(len(entries)+1), pids...))
	}
}

func (s *served) dial(t *testing.T) *client.Client {
	t.Helper()
	c, err := client.Dial(s.socket)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

// stream returns all that a stream sends.
func stream(t *testing.T, c *client.Client, s client.Snapshots) (all []client.Event) {
	t.Helper()
	for e, err := range c.Stream(t.Context(), s) {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, e)
	}
	return all
}

// counts says for each event how many samples it has, or -n for n lost snapshots.
func counts(all []client.Event) (n []int) {
	for _, e := range all {
		if e.Lost != nil {
			n = append(n, -int(e.Lost.Count))
		} else {
			n = append(n, len(e.Snapshot.Rows))
		}
	}
	return n
}

func sequences(all []client.Event) (n []int) {
	for _, e := range all {
		n = append(n, int(e.Sequence))
	}
	return n
}

func at(seconds float64) time.Time { return time.Unix(0, base+int64(seconds*float64(second))) }

func TestStreamChooses(t *testing.T) {
	s := start(t, 4, 101, 102)
	c := s.dial(t)
	ofProcess := client.Filter{Processes: []client.Process{{PID: 102}}}
	ofRoute := client.Filter{Labels: []client.Label{{Name: "http.route", Values: []string{"/a"}}}}
	ofService := func(name string) client.Filter { return client.Filter{Services: []string{name}} }
	for name, test := range map[string]struct {
		ask       client.Snapshots
		sequences []int
		counts    []int
	}{
		"all":         {client.Snapshots{}, []int{1, 2, 3, 4}, []int{20, 20, 20, 20}},
		"last":        {client.Snapshots{Last: 2}, []int{3, 4}, []int{20, 20}},
		"more":        {client.Snapshots{Last: 9}, []int{1, 2, 3, 4}, []int{20, 20, 20, 20}},
		"from":        {client.Snapshots{From: 3}, []int{3, 4}, []int{20, 20}},
		"later":       {client.Snapshots{From: 9}, nil, nil},
		"time":        {client.Snapshots{Since: at(1.5), Until: at(3)}, []int{2, 3}, []int{10, 20}},
		"one process": {client.Snapshots{Filter: ofProcess, Last: 1}, []int{4}, []int{10}},
		"service":     {client.Snapshots{Filter: ofService("one"), Last: 1}, []int{4}, []int{10}},
		"route":       {client.Snapshots{Filter: ofRoute, Last: 1}, []int{4}, []int{10}},
		"nothing":     {client.Snapshots{Filter: ofService("none"), Last: 1}, []int{4}, []int{0}},
	} {
		got := stream(t, c, test.ask)
		if diff := cmp.Diff(test.sequences, sequences(got)) + cmp.Diff(test.counts, counts(got)); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
		for _, e := range got {
			if e.Snapshot.Lost[pprofx.LostExited] != 2 && len(e.Snapshot.Rows) > 0 {
				t.Errorf("%s: the losses are missing", name)
			}
		}
	}
}

// What a caller gets without a filter is what was stored, sample for sample.
func TestStreamIsTheStore(t *testing.T) {
	s := start(t, 1, 101)
	got := stream(t, s.dial(t), client.Snapshots{})
	if diff := cmp.Diff(snapshot(t, 1, 101), got[0].Snapshot); diff != "" {
		t.Error(diff)
	}
}

func TestStreamLabels(t *testing.T) {
	s := start(t, 1, 101)
	c := s.dial(t)
	for name, test := range map[string]struct {
		filter client.Filter
		want   []string
	}{
		"all":   {client.Filter{}, []string{"http.route", "tenant"}},
		"allow": {client.Filter{Allow: []string{"http.*"}}, []string{"http.route"}},
		"deny":  {client.Filter{Deny: []string{"http.*"}}, []string{"tenant"}},
		"both":  {client.Filter{Allow: []string{"*"}, Deny: []string{"tenant"}}, []string{"http.route"}},
	} {
		var keys []string
		for _, set := range stream(t, c, client.Snapshots{Filter: test.filter})[0].Snapshot.LabelSets {
			for _, l := range set {
				keys = append(keys, l.Key)
			}
		}
		slices.Sort(keys)
		if diff := cmp.Diff(test.want, slices.Compact(keys)); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

// A subscriber that follows gets each snapshot once, and is told of those that it cannot get.
func TestStreamFollows(t *testing.T) {
	s := start(t, 3, 101)
	damage(t, s.dir, 2)
	remove(t, s.dir, 3)
	ctx, stop := context.WithTimeout(t.Context(), time.Minute)
	defer stop()
	var got []client.Event
	for e, err := range s.dial(t).Stream(ctx, client.Snapshots{Follow: true}) {
		if err != nil {
			t.Fatal(err)
		}
		if got = append(got, e); len(got) == 3 {
			s.add(t, 2, 101)
		}
		if len(got) == 5 {
			break
		}
	}
	if diff := cmp.Diff([]int{10, -1, -1, 10, 10}, counts(got)); diff != "" {
		t.Fatal(diff)
	}
	want := []client.Lost{{Reason: client.Damaged, Count: 1, First: 2, Last: 2},
		{Reason: client.Removed, Count: 1, First: 3, Last: 3}}
	if diff := cmp.Diff(want, []client.Lost{*got[1].Lost, *got[2].Lost}); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]int{1, 0, 0, 4, 5}, sequences(got)); diff != "" {
		t.Error(diff)
	}
}

// file returns the path of a snapshot in the store.
func file(t *testing.T, dir string, sequence string) string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(dir, "*"+sequence+"-*-*.otlp"))
	if err != nil || len(found) != 1 {
		t.Fatal(found, err)
	}
	return found[0]
}

func damage(t *testing.T, dir string, sequence int) {
	t.Helper()
	name := file(t, dir, "000"+string(rune('0'+sequence)))
	b, err := os.ReadFile(name)
	if err == nil {
		b[len(b)/2] ^= 0xff
		err = os.WriteFile(name, b, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
}

func remove(t *testing.T, dir string, sequence int) {
	t.Helper()
	if err := os.Remove(file(t, dir, "000"+string(rune('0'+sequence)))); err != nil {
		t.Fatal(err)
	}
}

// Samples of a process that has ended would never come: the caller is told so.
func TestSamplesOfNone(t *testing.T) {
	c := start(t, 0).dial(t)
	ctx, stop := context.WithTimeout(t.Context(), time.Minute)
	defer stop()
	const want = "agent: process 2147483647 is not running"
	for _, err := range c.Samples(ctx, client.Filter{Processes: []client.Process{{PID: 1<<31 - 1}}}, 1) {
		if err == nil || err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
		return
	}
}

// Samples come as they are published, thinned where asked; of what a subscriber was too slow for those are counted that
// it has asked for.
func TestSamples(t *testing.T) {
	s := start(t, 0)
	c := s.dial(t)
	ctx, stop := context.WithTimeout(t.Context(), time.Minute)
	defer stop()
	go func() {
		for !s.feed.Wanted() {
			time.Sleep(time.Millisecond)
		}
		for n := range int64(2) {
			s.feed.Publish(snapshot(t, n+1, 101, 102))
		}
		s.feed.Miss(snapshot(t, 3, 101, 102))
		s.feed.Publish(snapshot(t, 3, 101, 102))
	}()
	rows, lost, period := 0, uint64(0), int64(0)
	for e, err := range c.Samples(ctx, client.Filter{Services: []string{"two"}}, 5) {
		if err != nil {
			t.Fatal(err)
		}
		if e.Lost != nil {
			lost += e.Lost.Count
		} else {
			rows, period = rows+len(e.Snapshot.Rows), e.Snapshot.Period
		}
		if lost > 0 && rows == 6 {
			break
		}
	}
	if rows != 6 || lost != 10 || period != 5000 {
		t.Errorf("%d samples of %d ns, %d lost: want 6 of 30, of 5000 ns, and 10 lost", rows, period, lost)
	}
	for deadline := time.Now().Add(time.Minute); s.feed.Wanted(); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("the subscription outlives its caller")
		}
	}
}

// A capture ends when the caller says so, and what was sampled until then comes.
func TestCapture(t *testing.T) {
	s := start(t, 0)
	c := s.dial(t)
	ask := client.Capture{Process: client.Process{PID: os.Getpid()}, Rate: 250, Rules: []string{"a=b.c"}}
	profile, end, err := c.Capture(t.Context(), ask)
	if err != nil {
		t.Fatal(err)
	}
	got := <-s.captures
	if got.PID != os.Getpid() || got.Rate != 250 || !slices.Equal(got.Rules, ask.Rules) {
		t.Errorf("%+v", got)
	}
	if err := end(); err != nil {
		t.Fatal(err)
	}
	rows := 0
	for e, err := range profile {
		if err != nil {
			t.Fatal(err)
		}
		rows += len(e.Snapshot.Rows)
	}
	if rows != 10 {
		t.Errorf("%d samples came, want 10", rows)
	}
	for name, ask := range map[string]client.Capture{
		"agent: process 2147483647 is not running": {Process: client.Process{PID: 1<<31 - 1}, Duration: time.Second},
		"agent: process 1 that started at tick 7 has ended": {
			Process: client.Process{PID: 1, Started: 7}, Duration: time.Second},
		"agent: process 1: no such luck": {Process: client.Process{PID: 1}, Rate: 1},
	} {
		profile, _, err := c.Capture(t.Context(), ask)
		if err != nil {
			t.Fatal(err)
		}
		for _, err := range profile {
			if err == nil || err.Error() != name {
				t.Errorf("%v, want %s", err, name)
			}
		}
	}
}

func TestStatus(t *testing.T) {
	s := start(t, 3, 101)
	got, err := s.dial(t).Status(t.Context())
	if err != nil || got.Version != "test" || got.FirstSequence != 1 || got.LastSequence != 3 {
		t.Errorf("%v, %v", got, err)
	}
	if _, err := serve.Listen(serve.Config{Socket: s.socket}); err == nil {
		t.Error("two agents have one socket")
	}
}

func TestNoAgent(t *testing.T) {
	c, err := client.Dial(filepath.Join(t.TempDir(), "none"))
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if _, err := c.Status(t.Context()); !errors.Is(err, client.ErrNoAgent) {
		t.Error(err)
	}
}

// TestUnreadCapture: a caller that does not read keeps its place no longer than it may, and the capture ends.
func TestUnreadCapture(t *testing.T) {
	s := start(t, 0)
	ended := make(chan error, 4)
	s.sampled = func(ctx context.Context, of serve.Capture) error {
		of.Begun()
		for n := int64(0); ; n++ {
			if err := of.To(context.Background(), snapshot(t, n, of.PID)); err != nil {
				ended <- err
				return err
			}
		}
	}
	c := s.dial(t)
	ask := client.Capture{Process: client.Process{PID: os.Getpid()}, Duration: time.Second}
	for range 4 { // as many as there may be
		if _, _, err := c.Capture(t.Context(), ask); err != nil {
			t.Fatal(err)
		}
		<-s.captures
	}
	for range 4 {
		select {
		case <-ended:
		case <-time.After(time.Minute):
			t.Fatal("a capture waits for its caller")
		}
	}
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(10 * time.Millisecond) {
		profile, _, err := c.Capture(t.Context(), client.Capture{Process: ask.Process, Rate: 1})
		if err != nil {
			t.Fatal(err)
		}
		for _, err = range profile {
		}
		if strings.Contains(err.Error(), "no such luck") {
			return // it had a place
		} else if time.Now().After(deadline) {
			t.Fatal(err)
		}
	}
}

// TestSocketPath: the socket takes the place of one that nobody listens at, and of nothing else.
func TestSocketPath(t *testing.T) {
	dir := t.TempDir()
	for name, want := range map[string]string{"stale": "", "used": "another agent", "text": "is no socket"} {
		path := filepath.Join(dir, name)
		if name == "text" {
			if err := os.WriteFile(path, []byte("text"), 0o600); err != nil {
				t.Fatal(err)
			}
		} else {
			l, err := net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
			if err != nil {
				t.Fatal(err)
			}
			l.SetUnlinkOnClose(false)
			defer l.Close()
			if name == "stale" {
				l.Close()
			}
		}
		server, err := serve.Listen(serve.Config{Socket: path, Log: slog.New(slog.DiscardHandler)})
		if err == nil {
			server.Close()
		}
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", name, err, want)
		}
		if _, err := os.Stat(path); want != "" && err != nil {
			t.Errorf("%s is gone: %v", name, err)
		}
	}
}
