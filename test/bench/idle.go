package main

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// idle measures profilers of a process that does nothing. All of them run at the same time, since nothing of what they
// do there depends on the others.
func (b *bench) idle(ctx context.Context, rate int) (t table, err error) {
	progress("one idle process, %d Hz: %v", rate, idleWindows*b.plan.idle)
	t.title = fmt.Sprintf("One idle process, %d Hz", rate)
	s, err := startService(ctx, b.node)
	if err != nil {
		return t, err
	}
	defer s.end()
	if _, err := s.warmUp(); err != nil {
		return t, err
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
	time.Sleep(min(5*time.Second, b.plan.idle)) // what the start made busy comes to rest
	for range idleWindows {
		if err := b.idleWindow(watches, all); err != nil {
			return t, err
		}
	}
	t.columns, t.rows = compare(all, []metric{metricCPU, metricSwitches, metricWakes, metricBPF, metricRSS})
	t.note = fmt.Sprintf(`Medians and ranges of %d windows of %v, in which all profilers ran at the same time.`,
		idleWindows, b.plan.idle) + otelNote(all)
	return t, nil
}

// idleWindow adds the figures of one window to those of each profiler.
func (b *bench) idleWindow(watches []*watch, all []measured) error {
	points := make([][]point, len(watches))
	for begin := time.Now(); ; time.Sleep(time.Second) {
		for i, w := range watches {
			p, err := w.read()
			if err != nil {
				return err
			}
			points[i] = append(points[i], p)
		}
		if time.Since(begin) >= b.plan.idle {
			break
		}
	}
	for i := range watches {
		all[i].rounds = append(all[i].rounds, figuresOf(points[i]))
	}
	return nil
}
