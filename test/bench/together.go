package main

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// together measures profilers of some processes over windows that are long after their start, in which what is new to
// them has become rare. All of them run at the same time: they need little of two CPUs, and what one does there depends
// on none of the others.
func (b *bench) together(ctx context.Context, rate int, c crowd) (t table, err error) {
	rest := min(5*time.Second, b.plan.window)
	switch {
	case c.processes > 1:
		rest *= 6
	case c.busy > 0:
		rest *= 3
	}
	t.title = fmt.Sprintf("%v, %d Hz, %v after the start", c, rate, rest)
	progress("%s: %v", t.title, windows*b.plan.window)
	services, err := c.start(ctx)
	defer services.end()
	if err != nil {
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
		w, err := b.attach(ctx, p, recording{rate: rate, target: services.target()})
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
