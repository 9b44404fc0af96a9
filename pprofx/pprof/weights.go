package pprof

import (
	"errors"
	"fmt"
	"math"

	"github.com/hotspan/hotspan/pprofx"
)

// weights says how many rows a sample is.
type weights struct {
	count, cpu int // indices of the values, or absent
	period     int64
	time, read int64 // CPU time of the samples so far, and their rows
}

var errOverflow = errors.New("samples of more CPU time than 292 years")

func newWeights(m *message) (*weights, error) {
	w := &weights{count: absent, cpu: absent}
	types, other := "", pprofx.CPUTime
	for i, t := range m.types {
		name, unit := m.strings[t.name], m.strings[t.unit]
		if i < 20 {
			types += fmt.Sprintf(" %.40q/%.40q", name, unit)
		}
		switch {
		case name == "cpu" && unit == "nanoseconds":
			w.cpu = i
		case (name == "samples" || name == "sample") && unit == "count":
			w.count = i
		default:
			if m := pprofx.CPUTime; m.UnmarshalText([]byte(name)) == nil && unit == m.Unit() {
				other = m
			}
		}
	}
	switch {
	case other.OfHits() && w.cpu != absent:
		return nil, errors.New("a profile of CPU time and of hits of probes: those can be read from .otlp and .jsonl")
	case other != pprofx.CPUTime && w.cpu == absent:
		return nil, fmt.Errorf("a profile of %v, not of CPU time: hotspan's can be read from .otlp and .jsonl", other)
	}
	if t := m.periodType; m.strings[t.name] == "cpu" && m.strings[t.unit] == "nanoseconds" {
		w.period = m.period
	}
	if w.period < 1 && w.cpu != absent && w.count != absent {
		w.period = w.meanPeriod(m)
	}
	if w.period < 1 || w.cpu == absent && w.count == absent {
		return nil, fmt.Errorf("a profile that does not say which CPU time its samples stand for: of%.200s", types)
	}
	return w, nil
}

// meanPeriod returns the CPU time of a sample; 0 if there is none.
func (w *weights) meanPeriod(m *message) int64 {
	var time, n float64
	for _, s := range m.samples {
		values := m.values.at(int(s.values))
		time += float64(valueOf(values, w.cpu))
		n += float64(valueOf(values, w.count))
	}
	if mean := math.Round(time / n); mean >= 1 && mean < math.MaxInt64 {
		return int64(mean)
	}
	return 0
}

// valueOf returns one of the values of a sample.
func valueOf(values []byte, index int) int64 {
	for x := range varintsOf(values) {
		if index == 0 {
			return int64(x)
		}
		index--
	}
	return 0
}

// rows returns how many rows a sample with these values is. What does not make a whole one counts for the samples that
// follow.
func (w *weights) rows(values []byte) (int64, error) {
	var time int64
	if w.cpu != absent {
		time = valueOf(values, w.cpu)
	} else if n := valueOf(values, w.count); n > math.MaxInt64/w.period {
		return 0, errOverflow
	} else {
		time = n * w.period
	}
	switch {
	case time < 0:
		return 0, errors.New("a sample with less than no CPU time, as in a profile of differences")
	case time > math.MaxInt64-w.period-w.time:
		return 0, errOverflow
	}
	w.time += time
	rows := (w.time+w.period/2)/w.period - w.read
	w.read += rows
	return rows, nil
}
