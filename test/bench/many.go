package main

import (
	"context"
	"fmt"
	"time"

	"github.com/hotspan/hotspan/test/nodes"
)

// crowd is many processes, of which some are busy: a service with one process for each customer, or for each CPU; or
// several services, which do not have the same Node.js.
type crowd struct {
	processes, busy int
	nodes           []string // Node.js binaries, which take turns
}

const manyRate = 99

// crowds are those that are measured: of the Node.js binary of all other figures, and of five.
func (b *bench) crowds() ([]crowd, error) {
	several := []string{b.node}
	for _, version := range []string{"26.10.0", "22.23.3", "20.20.2", "18.20.8"} {
		node, err := nodes.Path(version)
		if err != nil {
			return nil, err
		}
		several = append(several, node)
	}
	return []crowd{{20, 4, several[:1]}, {100, 4, several}}, nil
}

func (c crowd) String() string {
	of := ""
	if len(c.nodes) > 1 {
		of = fmt.Sprintf(" of %d executables", len(c.nodes))
	}
	return fmt.Sprintf("%d processes%s, %d of them busy", c.processes, of, c.busy)
}

// manyProfiled measures profilers of many processes.
func (b *bench) manyProfiled(ctx context.Context) (tables []table, err error) {
	all, err := b.crowds()
	for i := 0; i < len(all) && err == nil; i++ {
		var t table
		t, err = b.crowdProfiled(ctx, all[i])
		tables = append(tables, t)
	}
	return tables, err
}

// crowdProfiled measures profilers of a crowd. hotspan finds its processes by their command line.
func (b *bench) crowdProfiled(ctx context.Context, c crowd) (table, error) {
	t := table{title: fmt.Sprintf("%v, %d Hz", c, manyRate)}
	for i := range c.processes {
		s, err := startService(ctx, c.nodes[i%len(c.nodes)])
		if err != nil {
			return t, err
		}
		defer s.end()
		if i < c.busy {
			if err := s.begin(1e9); err != nil { // until it is ended
				return t, err
			}
		}
	}
	all := make([]measured, len(b.profilers))
	for round := range b.plan.manyRounds {
		progress("%v: round %d of %d", c, round+1, b.plan.manyRounds)
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
