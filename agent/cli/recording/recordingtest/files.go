package recordingtest

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/hotspan/hotspan/agent/cli/recording"
	"github.com/hotspan/hotspan/otlp"
	"github.com/hotspan/hotspan/pprofx"
)

// Ranking writes a recording of a second at 100 Hz: half of it in a route, 30 samples of them in a collection.
func Ranking(t *testing.T) string {
	t.Helper()
	b, err := pprofx.NewBuilder(1_760_000_000_000_000_000, 1e7)
	if err != nil {
		t.Fatal(err)
	}
	b.SetProcess(1, pprofx.Process{Service: "shop"})
	frames := []*pprofx.Frame{
		{Function: "sort", Kind: pprofx.Builtin},
		{Function: "rank\x1b[2J", File: "file:///srv/app/routes/ranking.js", Line: 7, Kind: pprofx.JS},
		{Function: "idle", File: "/srv/app/node_modules/x/idle.js", Line: 3, Kind: pprofx.JS},
	}
	for i := range int64(100) {
		s := &pprofx.Sample{Time: 1_760_000_000_000_000_000 + i*1e7, PID: 1, TID: 1, Thread: "node",
			Stop: pprofx.StopRoot, State: pprofx.StateJS, Stack: frames[2:]}
		if i < 50 {
			s.Stack, s.Labels = frames[:2], []pprofx.Label{{Key: "http.route", Str: "/ranking"},
				{Key: "tenant", Str: "a"}, {Key: "trace_id", Str: "00000000000000000000000000000001"}}
		}
		if i < 30 {
			s.State = pprofx.StateGC
		}
		b.Add(s)
	}
	b.Lose(pprofx.LostRingFull, 3)
	path := filepath.Join(t.TempDir(), "r.otlp")
	frame, err := otlp.Compress(b.Cut(1_760_000_001_000_000_000), otlp.Agent{})
	if err == nil {
		err = os.WriteFile(path, frame, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// Aged writes a recording of 60 requests at 100 Hz, one after the other. Of three, one has 12 samples in sort, and
// then one in render, as all have. Samples of nothing are between them.
func Aged(t *testing.T) string {
	t.Helper()
	const began, period = 1_760_000_000_000_000_000, 10_000_000
	b, err := pprofx.NewBuilder(began, period)
	if err != nil {
		t.Fatal(err)
	}
	render := []*pprofx.Frame{{Function: "render", File: "/srv/app/page.js", Line: 3, Kind: pprofx.JS},
		{Function: "handle", File: "/srv/app/main.js", Line: 9, Kind: pprofx.JS}}
	sort := []*pprofx.Frame{{Function: "sort", File: "/srv/app/rank.js", Line: 7, Kind: pprofx.JS}, render[1]}
	at := int64(began)
	for i := range 60 {
		s := &pprofx.Sample{PID: 1, TID: 1, Thread: "node", Stop: pprofx.StopRoot, State: pprofx.StateJS, Start: at,
			Labels: []pprofx.Label{{Key: "http.route", Str: "/search"},
				{Key: "trace_id", Str: fmt.Sprintf("%032x", i+1)}}}
		add := func(stack []*pprofx.Frame) {
			s.Time, s.Stack = at, stack
			b.Add(s)
			at += period
		}
		for range 12 {
			if i%3 == 0 {
				add(sort)
			}
		}
		add(render)
		s.Start, s.Labels = 0, nil
		add(render)
	}
	path := filepath.Join(t.TempDir(), "aged.otlp")
	frame, err := otlp.Compress(b.Cut(at), otlp.Agent{})
	if err == nil {
		err = os.WriteFile(path, frame, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// Write writes snapshots in the format of an extension, and returns the file's name.
func Write(t *testing.T, dir, extension string, snapshots []*pprofx.Snapshot) string {
	t.Helper()
	path := filepath.Join(dir, "in"+extension)
	format, err := recording.FormatOf(path)
	if err != nil {
		t.Fatal(err)
	}
	file, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	out, err := recording.NewWriter(file, format)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range snapshots {
		if err := out.Add(s); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(out.Close(), file.Close()); err != nil {
		t.Fatal(err)
	}
	return path
}
