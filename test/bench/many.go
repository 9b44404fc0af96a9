package main

import (
	"context"
	"fmt"
	"time"
)

// How many processes a service with one process for each customer, or for each CPU, may have.
const (
	manyProcesses = 20
	manyBusy      = 4
	manyRate      = 99
)

// manyProfiled measures profilers of many processes, of which some are busy. hotspan finds them by their command line.
func (b *bench) manyProfiled(ctx context.Context) (table, error) {
	t := table{title: fmt.Sprintf("%d processes, %d of them busy, %d Hz", manyProcesses, manyBusy, manyRate)}
	for i := range manyProcesses {
		s, err := startService(ctx, b.node)
		if err != nil {
			return t, err
		}
		defer s.end()
		if i < manyBusy {
			if err := s.begin(1e9); err != nil { // until it is ended
				return t, err
			}
		}
	}
	all := make([]measured, len(b.profilers))
	for round := range b.plan.manyRounds {
		progress("%d processes: round %d of %d", manyProcesses, round+1, b.plan.manyRounds)
		for _, i := range inOrder(len(all), round) {
			f, err := b.manyRound(ctx, b.profilers[i])
			if err != nil {
				return t, fmt.Errorf("%s: %w", b.profilers[i].name, err)
			}
			all[i].name = b.profilers[i].name
			all[i].rounds = append(all[i].rounds, f)
		}
	}
	t.columns, t.rows = compare(all, []metric{metricBPF, metricPerSample, metricCPU, metricSwitches, metricWakes,
		metricRSS, metricPeak, metricMaps})
	t.note = fmt.Sprintf(`Medians and ranges of %d rounds of %v each, by turns. hotspan looks for these processes among
		all of the machine.`, b.plan.manyRounds, b.plan.manySeconds) + otelNote(all)
	return t, nil
}

func (b *bench) manyRound(ctx context.Context, p profiler) (figures, error) {
	w, err := b.attach(ctx, p, recording{rate: manyRate, target: []string{"--name", "test/bench/service.js"}})
	if err != nil {
		return figures{}, err
	}
	points, err := w.during(func() error { time.Sleep(b.plan.manySeconds); return nil })
	if err != nil {
		return figures{}, w.session.abandon(err)
	}
	f := figuresOf(points)
	maps, err := w.programs.mapMemory()
	if err != nil {
		return figures{}, w.session.abandon(err)
	}
	f.maps = float64(maps)
	perSample, err := w.end()
	f.perSample = perSample.Seconds()
	return f, err
}
