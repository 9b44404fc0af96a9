package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/hotspan/hotspan/test/nodes"
	"github.com/hotspan/hotspan/test/truth/judge"
	"github.com/hotspan/hotspan/test/truth/trial"
)

// runner runs cases and keeps the rows of the tables.
type runner struct {
	hotspan, program string
	rate             int
	scale            float64
	peer             bool
	rows             []*row
}

// version runs all cases on a version. A case that fails is a row that says why.
func (r *runner) version(v nodes.Version) {
	for _, c := range cases(v) {
		if !strings.HasPrefix(c.name, r.program) {
			continue
		}
		r.one(v, c, "hotspan", r.underHotspan)
		if r.peer && c.peer {
			r.one(v, c, "--cpu-prof", underCPUProf)
		}
	}
}

// profiler runs a program under one profiler and fills in a row.
type profiler func(row *row, dir, node string, c trialOf) error

func (r *runner) one(v nodes.Version, c trialOf, name string, run profiler) {
	row := &row{version: v.Version, program: c.name, profiler: name}
	r.rows = append(r.rows, row)
	fmt.Fprintf(os.Stderr, "%s %s %s\n", row.version, row.program, row.profiler)
	c.seconds *= r.scale
	err := inFolder(func(dir string) error {
		node, err := nodes.Path(v.Version)
		if err != nil {
			return err
		}
		return run(row, dir, node, c)
	})
	if err != nil {
		row.failed = true
		row.note("%v", err)
	}
}

func inFolder(f func(dir string) error) error {
	dir, err := os.MkdirTemp("", "hotspan-truth-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	return f(dir)
}

func script(c trialOf) string { return filepath.Join("test/programs", c.script) }

func (c trialOf) duration() time.Duration { return time.Duration(c.seconds * float64(time.Second)) }

// lasting makes a program run for a time unless it is stopped before.
func lasting(d time.Duration) string { return fmt.Sprintf("DURATION_MS=%d", d.Milliseconds()) }

func (r *runner) underHotspan(row *row, dir, node string, c trialOf) error {
	p, err := trial.Start(dir, node, script(c), c.flags, append(c.env, lasting(c.duration()+time.Minute)))
	if err != nil {
		return err
	}
	defer p.Kill()
	samples, result, err := trial.Record(r.hotspan, dir, p.PID, r.rate, c.duration(), c.rules...)
	if err != nil {
		return err
	}
	if err := p.Stop(); err != nil {
		return err
	}
	l, err := p.Truth()
	if err != nil {
		return err
	}
	row.samples = len(samples)
	row.takeClosing(result.Stderr)
	reach := judge.CompareReach(samples, p.PID)
	row.named, row.root = reach.Frames, reach.Root
	for _, end := range reach.EndsList() {
		row.note("%s", end)
	}
	row.examples = reach.Examples.List()
	c.judge(row, samples, l)
	return nil
}

var (
	kernelCost = regexp.MustCompile(`in the kernel ([0-9.]+) µs a sample`)
	lost       = regexp.MustCompile(`samples taken .* \+ ([1-9][0-9]* lost.*)`)
)

// takeClosing reads from the closing lines what a sample cost, and what was lost.
func (row *row) takeClosing(said string) {
	if m := kernelCost.FindStringSubmatch(said); m != nil {
		row.micros, _ = strconv.ParseFloat(m[1], 64)
	}
	if m := lost.FindStringSubmatch(said); m != nil {
		row.note("%s", m[1])
	}
}

func underCPUProf(row *row, dir, node string, c trialOf) error {
	flags := append([]string{"--cpu-prof", "--cpu-prof-dir=" + dir, "--cpu-prof-name=x.cpuprofile"}, c.flags...)
	p, err := trial.Start(dir, node, script(c), flags, append(c.env, lasting(c.duration())))
	if err != nil {
		return err
	}
	defer p.Kill()
	l, err := p.Truth()
	if err != nil {
		return err
	}
	profile, err := judge.ReadCPUProfile(filepath.Join(dir, "x.cpuprofile"))
	if err != nil {
		return err
	}
	samples := profile.Select(l)
	row.samples = len(samples)
	row.named = judge.CompareReach(samples, p.PID).Frames
	c.judge(row, samples, l)
	row.leafLine = profile.Lines(l)
	row.line, row.column, row.tier = judge.Share{}, judge.Share{}, judge.Share{} // it has none of callers
	return nil
}
