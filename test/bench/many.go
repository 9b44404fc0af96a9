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
	switch {
	case c.processes == 1 && c.busy == 0:
		return "One idle process"
	case c.processes == 1:
		return "One busy process"
	}
	of := ""
	if len(c.nodes) > 1 {
		of = fmt.Sprintf(" of %d executables", len(c.nodes))
	}
	return fmt.Sprintf("%d processes%s, %d of them busy", c.processes, of, c.busy)
}

// group is the services of a crowd.
type group []*service

// start starts all processes. Those that are busy are so until they are ended, which a caller does that has an error,
// too. One that is alone has worked before.
func (c crowd) start(ctx context.Context) (all group, err error) {
	for i := range c.processes {
		s, err := startService(ctx, c.nodes[i%len(c.nodes)])
		if err != nil {
			return all, err
		}
		all = append(all, s)
		if c.processes == 1 {
			if _, err := s.warmUp(); err != nil {
				return all, err
			}
		}
		if i < c.busy {
			if err := s.begin(1e9); err != nil {
				return all, err
			}
		}
	}
	return all, nil
}

func (all group) end() {
	for _, s := range all {
		s.end()
	}
}

// target says which processes a profiler profiles. Of many it finds them by their command line.
func (all group) target() []string {
	if len(all) == 1 {
		return pidTarget(all[0].pid())
	}
	return []string{"--name", "test/bench/service.js"}
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
	services, err := c.start(ctx)
	defer services.end()
	if err != nil {
		return t, err
	}
	all := make([]measured, len(b.profilers))
	for round := range b.plan.manyRounds {
		progress("%v: round %d of %d", c, round+1, b.plan.manyRounds)
		for _, i := range inOrder(len(all), round) {
			f, err := b.manyRound(ctx, b.profilers[i], services.target())
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

func (b *bench) manyRound(ctx context.Context, p profiler, target []string) (figures, error) {
	w, err := b.attach(ctx, p, recording{rate: manyRate, target: target})
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
