package daemon

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/hotspan/hotspan/agent"
	"github.com/hotspan/hotspan/agent/cli/recording/recordingtest"
	"github.com/hotspan/hotspan/agent/cli/terminal"
	"github.com/hotspan/hotspan/agent/internal/export"
	"github.com/hotspan/hotspan/agent/internal/store"
	"github.com/hotspan/hotspan/pprofx"
)

// files are outputs that write to files below a directory, one destination for each name.
func files(t *testing.T, dir string, names ...string) *outputs {
	t.Helper()
	var all destinations
	for _, name := range names {
		if err := all.Decode("file://" + filepath.Join(dir, name, "%t.jsonl")); err != nil {
			t.Fatal(err)
		}
	}
	o, err := openOutputs(all, terminal.Console{Writer: new(bytes.Buffer)}.Logger(false))
	if err != nil {
		t.Fatal(err)
	}
	return o
}

// A destination that cannot begin changes nothing: neither the agent nor the destinations that there are.
func TestReloadIsWhole(t *testing.T) {
	dir := t.TempDir()
	kept, err := store.Open(filepath.Join(dir, "store"), store.Limits{Bytes: 1 << 20})
	if err != nil {
		t.Fatal(err)
	}
	defer kept.Close()
	var log bytes.Buffer
	now := files(t, dir, "a")
	d := &delivering{from: kept, log: terminal.Console{Writer: &log}.Logger(false), now: now}
	if err := now.take(kept, d.log); err != nil {
		t.Fatal(err)
	}
	now.start()
	defer d.end()
	if err := os.Mkdir(filepath.Join(dir, "store", "cursor-b"), 0o700); err != nil { // which is no file
		t.Fatal(err)
	}
	var seen changes
	r := &reloading{&seen, d, d.log, func() (*settings, error) {
		return &settings{config: agent.Config{Rate: 7}, outputs: files(t, dir, "c", "b", "a")}, nil
	}}
	r.reload()
	if !regexp.MustCompile(`goes on as before: .*cursor-b`).MatchString(log.String()) {
		t.Errorf("%s", &log)
	}
	if len(seen) != 0 || d.outputs() != now || d.configuration().Rate != 0 {
		t.Errorf("the agent was changed to %+v, captures to rate %d", seen, d.configuration().Rate)
	}
	s := recordingtest.Snapshot(t)
	s.Start, s.End = 0, 1e9
	if err := (&storeSink{Store: kept, log: d.log}).Write(t.Context(), s); err != nil {
		t.Fatal(err)
	}
	if err := d.finish(time.Minute); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(filepath.Join(dir, "store", "cursor-c")); err == nil {
		t.Error("a destination that is not there has a place in the store")
	}
}

// What the system does of a change only in part is made as far as it goes, and not said to be as before.
func TestReloadInPart(t *testing.T) {
	dir := t.TempDir()
	kept, err := store.Open(filepath.Join(dir, "store"), store.Limits{Bytes: 1 << 20})
	if err != nil {
		t.Fatal(err)
	}
	defer kept.Close()
	var log bytes.Buffer
	d := &delivering{from: kept, log: terminal.Console{Writer: &log}.Logger(false), now: &outputs{}}
	defer d.end()
	next := files(t, dir, "a")
	r := &reloading{new(changes), d, d.log, func() (*settings, error) {
		return &settings{config: agent.Config{Rate: 14}, outputs: next}, nil
	}}
	r.reload()
	for says, want := range map[string]bool{"no such timer": true, "does not count": true, "as before": false} {
		if got := strings.Contains(log.String(), says); got != want {
			t.Errorf("%q: %v in %s", says, got, &log)
		}
	}
	if d.outputs() != next || d.configuration().Rate != 14 {
		t.Errorf("captures have rate %d", d.configuration().Rate)
	}
}

// slow is a receiver that takes its time when it is to end.
type slow struct{ begun, ending, ended chan struct{} }

func (s slow) Write(ctx context.Context, _ *pprofx.Snapshot) error {
	s.begun <- struct{}{}
	<-ctx.Done()
	s.ending <- struct{}{}
	<-s.ended
	return ctx.Err()
}

// While a reload waits for a destination to end, the agent says how it is, and begins captures.
func TestReloadWaits(t *testing.T) {
	dir := t.TempDir()
	kept, err := store.Open(dir, store.Limits{Bytes: 1 << 20})
	if err != nil {
		t.Fatal(err)
	}
	defer kept.Close()
	d := &delivering{from: kept, log: terminal.Console{Writer: new(bytes.Buffer)}.Logger(false)}
	d.now = files(t, dir, "a")
	to := slow{make(chan struct{}), make(chan struct{}), make(chan struct{})}
	d.now.receivers = []export.Receiver{to}
	next := files(t, dir, "a")
	for _, o := range []*outputs{d.now, next} {
		if err := o.take(kept, d.log); err != nil {
			t.Fatal(err)
		}
	}
	d.now.start()
	s := recordingtest.Snapshot(t)
	s.Start, s.End = 0, 1e9
	if err := (&storeSink{Store: kept, log: d.log}).Write(t.Context(), s); err != nil {
		t.Fatal(err)
	}
	<-to.begun // one that has not is ended at once
	replaced := make(chan struct{})
	go func() {
		d.replace(next)
		close(replaced)
	}()
	<-to.ending
	answered := make(chan struct{})
	go func() {
		d.outputs()
		d.configuration()
		close(answered)
	}()
	select {
	case <-answered:
	case <-time.After(30 * time.Second):
		t.Error("no answer while a destination ends")
	}
	close(to.ended)
	<-replaced
	<-answered
	defer d.end()
	if err := d.finish(time.Minute); err != nil || d.outputs() != next {
		t.Errorf("%v; outputs are not replaced", err)
	}
	if got := next.destinations[0].Stats(); got.Snapshots != 1 || got.Samples != 2 {
		t.Errorf("%+v, want what did not end delivered by the next", got)
	}
}
