package main

import (
	"context"
	"fmt"
	"math"
	"time"
)

// variant is one way to run the busy service: without a profiler, or with one that reads some labels.
type variant struct {
	name     string
	profiler *profiler // nil for none
	labels   labels
	rounds   []figures
	cost     []float64 // CPU seconds that the service took for a unit of work, by round
}

// variants are what a part with one busy process compares: twice nothing, then each profiler with each kind of labels.
// OpenTelemetry's profiler reads no labels of Node.js.
func (b *bench) variants(kinds []labels) []*variant {
	all := []*variant{{name: "none"}, {name: "none again"}}
	for i := range b.profilers {
		p := &b.profilers[i]
		for k, kind := range kinds {
			name := p.name
			if len(kinds) > 1 && !p.otel {
				name += ", " + kind.name
			}
			if k == 0 || !p.otel {
				all = append(all, &variant{name: name, profiler: p, labels: kind})
			}
		}
	}
	return all
}

// busy measures one busy process at a rate, with each kind of labels.
func (b *bench) busy(ctx context.Context, rate, rounds int, kinds []labels) ([]table, error) {
	s, err := startService(ctx, b.node)
	if err != nil {
		return nil, err
	}
	defer s.end()
	perSecond, err := s.warmUp()
	if err != nil {
		return nil, err
	}
	all := b.variants(kinds)
	for round := range rounds {
		progress("one busy process, %d Hz: round %d of %d", rate, round+1, rounds)
		for _, i := range inOrder(len(all), round) {
			if err := b.round(ctx, s, all[i], rate, perSecond); err != nil {
				return nil, fmt.Errorf("%s: %w", all[i].name, err)
			}
		}
	}
	tables := make([]table, 0, len(kinds)+1)
	for _, kind := range kinds {
		tables = append(tables, busyTable(all, rate, kind))
	}
	cost, err := costTable(all, rate)
	return append(tables, cost), err
}

// round runs the service once in one way.
func (b *bench) round(ctx context.Context, s *service, v *variant, rate int, perSecond float64) error {
	if v.profiler == nil {
		units := int(perSecond * b.plan.alone.Seconds())
		cpu, _, err := s.work(units)
		v.cost = append(v.cost, cpu.Seconds()/float64(units))
		return err
	}
	w, err := b.startAtWork(ctx, s, v, rate, perSecond)
	if err != nil {
		return err
	}
	units := int(perSecond * b.plan.busy.Seconds())
	var cpu, wall time.Duration
	points, err := w.during(func() error {
		var err error
		cpu, wall, err = s.work(units)
		return err
	})
	if err != nil {
		return w.session.abandon(err)
	}
	f := figuresOf(points)
	f.service = cpu.Seconds() / wall.Seconds()
	maps, err := w.programs.mapMemory()
	if err != nil {
		return w.session.abandon(err)
	}
	f.maps = float64(maps)
	perSample, err := w.end()
	f.perSample = perSample.Seconds()
	v.rounds = append(v.rounds, f)
	v.cost = append(v.cost, cpu.Seconds()/float64(units))
	return err
}

// startAtWork attaches a profiler while the service works.
func (b *bench) startAtWork(ctx context.Context, s *service, v *variant, rate int, perSecond float64) (*watch, error) {
	stop, stopped := make(chan bool), make(chan error, 1)
	go func() {
		for {
			select {
			case <-stop:
				stopped <- nil
				return
			default:
				if _, _, err := s.work(int(math.Ceil(perSecond / 10))); err != nil {
					stopped <- err
					return
				}
			}
		}
	}()
	w, err := b.attach(ctx, *v.profiler, recording{rate: rate, labels: v.labels, target: pidTarget(s.pid())})
	close(stop)
	if err2 := <-stopped; err == nil && err2 != nil {
		return nil, w.session.abandon(err2)
	}
	return w, err
}

func busyTable(all []*variant, rate int, kind labels) table {
	var compared []measured
	for _, v := range all {
		if v.profiler != nil && (v.profiler.otel || v.labels.name == kind.name) {
			compared = append(compared, measured{v.profiler.name, v.rounds})
		}
	}
	t := table{title: fmt.Sprintf("One busy process, %d Hz, %s", rate, kind.name)}
	t.columns, t.rows = compare(compared, []metric{metricBPF, metricPerSample, metricCPU, metricTogether,
		metricSwitches, metricWakes, metricRSS, metricPeak, metricMaps})
	t.note = fmt.Sprintf(`Medians and ranges of %d rounds, in each of which every profiler ran in turn. BPF time is
		what the kernel counts for the profiler's BPF programs, all CPUs together; a sample's share includes the ticks
		that found nothing to sample. CPU is what the kernel counts for the profiler's own threads, after its start.
		Ratios are of hotspan to the other within one round.`, len(compared[0].rounds))
	t.note += otelNote(compared)
	return t
}

// costTable says by how much more CPU time the service needs for the same work.
func costTable(all []*variant, rate int) (table, error) {
	t := table{
		title:   fmt.Sprintf("What the service pays at %d Hz", rate),
		columns: []string{"", "CPU time of the same work, as a ratio", "95 % interval"},
		note: fmt.Sprintf(`Geometric means of %d rounds: the service's CPU time for a unit of work with the profiler,
			by the mean of the two runs without one in the same round. The first row compares those two with each other:
			it shows what the measurement cannot tell from nothing. The interval is Student's, of the logarithms.`,
			len(all[0].cost)),
	}
	none, again := all[0].cost, all[1].cost
	for i, v := range all[1:] {
		var ratios []float64
		for round, cost := range v.cost {
			if i == 0 {
				ratios = append(ratios, cost/none[round])
			} else {
				ratios = append(ratios, cost/math.Sqrt(none[round]*again[round]))
			}
		}
		r, err := ratioInterval(ratios)
		if err != nil {
			return t, err
		}
		name := v.name
		if i == 0 {
			name = "none, compared with none"
		}
		bounds := fmt.Sprintf("%.4f to %.4f", r.low, r.high)
		t.rows = append(t.rows, []string{name, fmt.Sprintf("%.4f", r.mean), bounds})
	}
	return t, nil
}
