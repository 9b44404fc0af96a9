package main

import (
	"fmt"
	"time"

	"github.com/cilium/ebpf"
)

// point is what a profiler had used up to an instant.
type point struct {
	at       time.Time
	cpu      time.Duration
	switches switches
	memory   memory
	runs     runs
}

// watch reads what a session uses.
type watch struct {
	session  *session
	programs programs
	counter  switchCounter
	points   []point
	steady   int // the first point after the start
}

func watchSession(s *session) *watch {
	return &watch{session: s, counter: switchCounter{},
		programs: programs{s.Process.Pid, map[uint32]*ebpf.Program{}}}
}

func (w *watch) read() (point, error) {
	pid := w.session.Process.Pid
	p := point{at: time.Now()}
	var err error
	if p.cpu, err = cpuTime(pid); err != nil {
		return p, w.gone(err)
	}
	if p.runs, err = w.programs.read(); err != nil {
		return p, w.gone(err)
	}
	if p.switches, err = w.counter.read(pid); err != nil {
		return p, w.gone(err)
	}
	if p.memory, err = readMemory(pid); err != nil {
		return p, w.gone(err)
	}
	w.points = append(w.points, p)
	return p, nil
}

// gone adds to an error what the profiler said, since it may have ended.
func (w *watch) gone(err error) error {
	return fmt.Errorf("%w; it said: %s", err, w.session.said.String())
}

// What is the start of a profiler: until it samples and its own CPU use has been below quiet, a share of one core, for
// two steps.
const (
	minStart  = 1500 * time.Millisecond
	maxStart  = time.Minute // on a busy machine the verifier alone takes half of it
	startStep = 500 * time.Millisecond
	quiet     = 0.2
)

// started waits until the profiler has done what it does once.
func (w *watch) started() error {
	before := w.session.began
	cpu := time.Duration(0)
	last := 1.0 // the share in the step before
	for {
		time.Sleep(startStep)
		p, err := w.read()
		if err != nil {
			return err
		}
		share := (p.cpu - cpu).Seconds() / p.at.Sub(before).Seconds()
		if p.at.Sub(w.session.began) >= minStart && p.runs.samples > 0 && max(last, share) < quiet {
			w.steady = len(w.points) - 1
			return nil
		}
		if p.at.Sub(w.session.began) > maxStart {
			return fmt.Errorf("after %v it uses %.0f %% of a core and its sampling used %v; it said: %s", maxStart,
				100*share, p.runs.samples, w.session.said.String())
		}
		before, cpu, last = p.at, p.cpu, share
	}
}

// during runs f, and reads once a second meanwhile. It returns what was read, at the begin and the end at least.
func (w *watch) during(f func() error) ([]point, error) {
	first := len(w.points)
	if _, err := w.read(); err != nil {
		return nil, err
	}
	done := make(chan error, 1)
	go func() { done <- f() }()
	for {
		select {
		case err := <-done:
			if err != nil {
				return nil, err
			}
			_, err = w.read()
			return w.points[first:], err
		case <-time.After(time.Second):
			if _, err := w.read(); err != nil {
				<-done
				return nil, err
			}
		}
	}
}

// end ends the session and returns the BPF time of a sample: of hotspan over the whole recording, and of
// OpenTelemetry's profiler, which sends neither its first samples nor the last ones, of what lies between.
func (w *watch) end() (perSample time.Duration, err error) {
	defer w.programs.close()
	last, err := w.read()
	if err == nil {
		err = w.reported()
	}
	if err != nil {
		return 0, w.session.abandon(err)
	}
	if err := w.session.end(); err != nil {
		return 0, err
	}
	used, samples := last.runs.samples, int64(0)
	if w.session.sink == nil {
		if samples, err = countSamples(w.session.output); err != nil {
			return 0, err
		}
	} else {
		used, samples = w.sent()
	}
	if samples == 0 || used <= 0 {
		return 0, fmt.Errorf("%d samples in %v of BPF time; it said: %s", samples, used, w.session.said.String())
	}
	return used / time.Duration(samples), nil
}

// reported waits until OpenTelemetry's profiler has sent samples from after its start: it sends every five seconds.
func (w *watch) reported() error {
	for begin := time.Now(); w.session.sink != nil; time.Sleep(100 * time.Millisecond) {
		if _, samples := w.sent(); samples > 0 {
			return nil
		}
		if time.Since(begin) > 15*time.Second {
			return fmt.Errorf("it sent no samples; it said: %s", w.session.said.String())
		}
		if _, err := w.read(); err != nil {
			return err
		}
	}
	return nil
}

// minSent is for how long samples must have been sent, from the first point that counts, for a figure of one sample.
const minSent = 2 * time.Second

// sent is the BPF time from the end of the start to the last point before the newest sample that was sent, and how many
// samples were taken meanwhile. There are none while that is not minSent.
func (w *watch) sent() (used time.Duration, samples int64) {
	newest, _ := w.session.sink.newest()
	first := w.points[w.steady]
	for _, p := range w.points[w.steady:] {
		if p.at.Before(newest) && p.at.Sub(first.at) >= minSent {
			used = p.runs.samples - first.runs.samples
			samples = int64(w.session.sink.count(first.at, p.at))
		}
	}
	return used, samples
}
