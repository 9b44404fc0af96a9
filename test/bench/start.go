package main

import (
	"context"
	"fmt"
	"os"
	"regexp"
	"time"
)

// startRate is the rate of the recordings whose start is measured: the default one, so up to 10 ms are the wait for a
// sample.
const startRate = 99

// startTimes are how long it took from exec to the first named sample, in milliseconds: by trial.
type startTimes struct{ empty, warm, command []float64 }

// starts measures how long profilers take to start: with an empty cache on disk, and with what the start before left.
func (b *bench) starts(ctx context.Context) (table, error) {
	t := table{title: fmt.Sprintf("From exec to the first named sample, %d Hz", startRate)}
	s, err := startService(ctx, b.node)
	if err != nil {
		return t, err
	}
	defer s.end()
	if _, err := s.warmUp(); err != nil {
		return t, err
	}
	if err := s.begin(1e9); err != nil { // until it is ended
		return t, err
	}
	all := make([]startTimes, len(b.profilers))
	for trial := range b.plan.starts {
		progress("start: trial %d of %d", trial+1, b.plan.starts)
		for _, i := range inOrder(len(all), trial) {
			if err := b.startTrial(ctx, b.profilers[i], s.pid(), &all[i]); err != nil {
				return t, fmt.Errorf("start of %s: %w", b.profilers[i].name, err)
			}
		}
	}
	b.startTable(&t, all)
	return t, nil
}

// startTrial starts a profiler with an empty cache, then with what that left there, then of a command.
func (b *bench) startTrial(ctx context.Context, p profiler, pid int, times *startTimes) error {
	cache, err := os.MkdirTemp(b.dir, "start")
	if err != nil {
		return err
	}
	r := recording{rate: startRate, target: pidTarget(pid), dir: b.dir, cache: cache, jsonl: true,
		reports: 500 * time.Millisecond}
	trials := []*[]float64{&times.empty, &times.warm, &times.command}
	if p.otel {
		trials = trials[:1] // it keeps nothing on disk and runs no command
	}
	for i, list := range trials {
		if i == 2 {
			r.target = []string{"--", b.node, "test/bench/service.js", "5000"}
		}
		took, err := timeStart(ctx, p, r, i == 2)
		if err != nil {
			return err
		}
		*list = append(*list, float64(took.Microseconds())/1000)
	}
	return nil
}

// hotspan prints a line with these words when it has named a sample; of a quick start only with -v.
var firstSampleLine = regexp.MustCompile(`first (named )?sample`)

// timeStart runs a profiler until it has named a sample, or until the command that it profiles has ended.
func timeStart(ctx context.Context, p profiler, r recording, command bool) (time.Duration, error) {
	s, err := p.start(ctx, r)
	if err != nil {
		return 0, err
	}
	for !command && !s.hasNamed() {
		time.Sleep(20 * time.Millisecond)
		if time.Since(s.began) > maxStart {
			return 0, s.abandon(fmt.Errorf("no named sample within %v; it said: %s", maxStart, s.said.String()))
		}
	}
	if !command {
		s.Process.Signal(os.Interrupt)
	}
	if err := s.wait(); err != nil {
		return 0, err
	}
	var first time.Time
	found := false
	if s.sink != nil {
		first, found = s.sink.firstNamed()
	} else if first, found, err = firstNamed(s.output); err != nil {
		return 0, err
	}
	if !found || first.Before(s.began) {
		return 0, fmt.Errorf("no named sample after the start; it said: %s", s.said.String())
	}
	return first.Sub(s.began), nil
}

func (s *session) hasNamed() bool {
	if s.sink != nil {
		_, ok := s.sink.firstNamed()
		return ok
	}
	return firstSampleLine.MatchString(s.said.String())
}

func (b *bench) startTable(t *table, all []startTimes) {
	t.columns = []string{"ms"}
	for _, p := range b.profilers {
		t.columns = append(t.columns, p.name)
	}
	for _, p := range b.profilers[1:] {
		t.columns = append(t.columns, "ratio to "+p.name)
	}
	for _, row := range []struct {
		name string
		of   func(startTimes) []float64
	}{
		{"its cache on disk is empty", func(s startTimes) []float64 { return s.empty }},
		{"its cache on disk is warm", func(s startTimes) []float64 { return s.warm }},
		{"record -- node service.js, warm", func(s startTimes) []float64 { return s.command }},
	} {
		cells := []string{row.name}
		for i := range all {
			cells = append(cells, cellOf(row.of(all[i])))
		}
		for i := range all[1:] {
			a, b := row.of(all[0]), row.of(all[i+1])
			if len(b) == 0 {
				b = all[i+1].empty
			}
			cells = append(cells, ratios(a, b))
		}
		t.rows = append(t.rows, cells)
	}
	t.note = fmt.Sprintf(`Medians and ranges of %d starts. It ends when the first sample is taken that has JavaScript
		names. The last row includes the start of Node.js. OpenTelemetry's profiler keeps nothing on disk, so its one
		figure is compared with each of hotspan's.`, len(all[0].empty))
}

// cellOf is the spread of values; a dash for none.
func cellOf(values []float64) string {
	if len(values) == 0 {
		return "–"
	}
	return spreadOf(values).String()
}
