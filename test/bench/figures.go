package main

import "slices"

// figures are what a profiler used in a window of time.
type figures struct {
	cpu       float64 // of the profiler, as a share of one core
	switches  float64 // a second
	voluntary float64 // a second
	rss, peak float64 // bytes
	bpf       float64 // seconds a second
	perSample float64 // seconds
	maps      float64 // bytes
	service   float64 // CPU time of the service, as a share of one core
}

// figuresOf are those that the points say: RSS is the median of what was read.
func figuresOf(points []point) figures {
	first, last := points[0], points[len(points)-1]
	seconds := last.at.Sub(first.at).Seconds()
	var rss []float64
	for _, p := range points {
		rss = append(rss, float64(p.memory.rss))
	}
	return figures{
		cpu:       (last.cpu - first.cpu).Seconds() / seconds,
		switches:  float64(last.switches.all-first.switches.all) / seconds,
		voluntary: float64(last.switches.voluntary-first.switches.voluntary) / seconds,
		rss:       median(rss),
		peak:      float64(last.memory.peak),
		bpf:       (last.runs.all - first.runs.all).Seconds() / seconds,
	}
}

// metric is a row of a table.
type metric struct {
	name string
	of   func(figures) float64
}

var (
	metricBPF       = metric{"BPF time, ms a second", func(f figures) float64 { return 1e3 * f.bpf }}
	metricPerSample = metric{"BPF time, µs a sample", func(f figures) float64 { return 1e6 * f.perSample }}
	metricCPU       = metric{"CPU of the profiler, % of a core", func(f figures) float64 { return 100 * f.cpu }}
	metricSwitches  = metric{"context switches a second", func(f figures) float64 { return f.switches }}
	metricWakes     = metric{"of them voluntary (wake-ups)", func(f figures) float64 { return f.voluntary }}
	metricRSS       = metric{"RSS, MB", func(f figures) float64 { return f.rss / 1e6 }}
	metricPeak      = metric{"RSS peak, MB", func(f figures) float64 { return f.peak / 1e6 }}
	metricMaps      = metric{"BPF maps, MiB", func(f figures) float64 { return f.maps / (1 << 20) }}
	metricTogether  = metric{"BPF and profiler, % of the service's CPU time",
		func(f figures) float64 { return 100 * (f.bpf + f.cpu) / f.service }}
)

// measured are the figures of one profiler, one for each round.
type measured struct {
	name   string
	rounds []figures
}

func (m measured) values(of func(figures) float64) []float64 {
	var v []float64
	for _, f := range m.rounds {
		v = append(v, of(f))
	}
	return v
}

// compare is a table of profilers: medians and ranges of the rounds, and the ratios of the first one to each other one
// in the same round.
func compare(all []measured, metrics []metric) (columns []string, rows [][]string) {
	columns = []string{""}
	for _, m := range all {
		columns = append(columns, m.name)
	}
	for _, m := range all[1:] {
		columns = append(columns, "ratio to "+m.name)
	}
	for _, metric := range metrics {
		row := []string{metric.name}
		first := all[0].values(metric.of)
		for _, m := range all {
			row = append(row, spreadOf(m.values(metric.of)).String())
		}
		for _, m := range all[1:] {
			row = append(row, ratios(first, m.values(metric.of)))
		}
		rows = append(rows, row)
	}
	return columns, rows
}

// otelNote is what must be known of the figures of OpenTelemetry's profiler, where it is one of those measured.
func otelNote(all []measured) string {
	if !slices.ContainsFunc(all, func(m measured) bool { return m.name == otelName }) {
		return ""
	}
	return " OpenTelemetry's profiler samples all processes of the machine, hotspan only those that it was told to."
}

// ratios prints the spread of the ratios of values, pair by pair; a dash where one of them has no meaning.
func ratios(a, b []float64) string {
	var v []float64
	for i := range a {
		if b[i] == 0 {
			return "–"
		}
		v = append(v, a[i]/b[i])
	}
	return spreadOf(v).String()
}
