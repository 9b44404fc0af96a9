package main

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// together measures profilers of one process over windows that are long after their start, in which what is new to them
// has become rare. All of them run at the same time: they need little of two CPUs, and what one does there depends on
// none of the others. The process does nothing, or it works all the time.
func (b *bench) together(ctx context.Context, rate int, busy bool) (t table, err error) {
	what, rest := "idle", min(5*time.Second, b.plan.window)
	if busy {
		what, rest = "busy", 3*rest
	}
	t.title = fmt.Sprintf("One %s process, %d Hz, %v after the start", what, rate, rest)
	progress("%s: %v", t.title, windows*b.plan.window)
	s, err := startService(ctx, b.node)
	if err != nil {
		return t, err
	}
	defer s.end()
	if _, err := s.warmUp(); err != nil {
		return t, err
	}
	if busy {
		if err := s.begin(1e9); err != nil { // until it is ended
			return t, err
		}
	}
	var watches []*watch
	defer func() {
		for _, w := range watches {
			err = errors.Join(err, w.session.end())
			w.programs.close()
		}
	}()
	all := make([]measured, len(b.profilers))
	for i, p := range b.profilers {
		w, err := b.attach(ctx, p, recording{rate: rate, target: pidTarget(s.pid())})
		if err != nil {
			return t, err
		}
		watches = append(watches, w)
		all[i].name = p.name
	}
	time.Sleep(rest)
	for range windows {
		if err := b.window(watches, all); err != nil {
			return t, err
		}
	}
	t.columns, t.rows = compare(all, []metric{metricCPU, metricSwitches, metricWakes, metricBPF, metricRSS})
	t.note = fmt.Sprintf(`Medians and ranges of %d windows of %v, in which all profilers ran at the same time.`,
		windows, b.plan.window) + otelNote(all)
	return t, nil
}

// window adds the figures of one window to those of each profiler.
func (b *bench) window(watches []*watch, all []measured) error {
	points := make([][]point, len(watches))
	for begin := time.Now(); ; time.Sleep(time.Second) {
		for i, w := range watches {
			p, err := w.read()
			if err != nil {
				return err
			}
			points[i] = append(points[i], p)
		}
		if time.Since(begin) >= b.plan.window {
			break
		}
	}
	for i := range watches {
		all[i].rounds = append(all[i].rounds, figuresOf(points[i]))
	}
	return nil
}
