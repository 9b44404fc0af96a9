package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"github.com/hotspan/hotspan/test/kernels/outcome"
	"github.com/hotspan/hotspan/test/truth/judge"
	"github.com/hotspan/hotspan/test/truth/trial"
)

// While it is recorded for stepsFor, the time of day is set twice, first after stepAfter and then after as long again.
const (
	stepsFor  = 12 * time.Second
	stepAfter = 3 * time.Second
)

var steps = [...]time.Duration{time.Hour, -2 * time.Hour}

// account is a part of what record --json prints.
type account struct {
	Taken, Written int
	Lost           map[string]int
}

// clock sets the time of day while hotspan records: nothing is lost by it. One file stays in order, while snapshots
// that have files of their own follow the time.
func clock(o *outcome.Outcome) error {
	dir, err := os.MkdirTemp("", "run-")
	if err != nil {
		return err
	}
	p, err := trial.Start(dir, node, programs+"functions.js", []string{"--expose-gc"}, []string{"DURATION_MS=1200000"})
	if err != nil {
		return err
	}
	defer p.Kill()
	for _, c := range []struct {
		name string
		args []string
		ends time.Duration // of the last sample, from the time of day before
	}{
		{"one", nil, 0},
		{"each", []string{"--snapshot-every", "1s"}, steps[0] + steps[1]},
	} {
		before := time.Now()
		args := append([]string{"-p", strconv.Itoa(p.PID), "-o", filepath.Join(dir, c.name+"-%n.jsonl")}, c.args...)
		a, err := recordSteps(o, args)
		if err == nil {
			err = compareSteps(a, filepath.Join(dir, c.name), before.UnixNano()+int64(c.ends), before)
		}
		if err != nil {
			return fmt.Errorf("the time of day is set, files of %s: %w", c.name, err)
		}
	}
	return nil
}

// recordSteps records while the time of day is set.
func recordSteps(o *outcome.Outcome, args []string) (a account, err error) {
	log, err := os.CreateTemp("", "said-")
	if err != nil {
		return a, err
	}
	defer log.Close()
	c := exec.Command(hotspan, append([]string{"record", "--json", "-v", "-d", stepsFor.String()}, args...)...)
	var out strings.Builder
	c.Stdout, c.Stderr = &out, log
	if err := c.Start(); err != nil {
		return a, err
	}
	defer c.Process.Kill()
	said := func() string {
		text, _ := os.ReadFile(log.Name())
		return string(text)
	}
	for began := time.Now(); !strings.Contains(said(), "first named sample"); time.Sleep(100 * time.Millisecond) {
		if time.Since(began) > 2*time.Minute {
			return a, errors.New("there is no sample: " + said())
		}
	}
	for _, step := range steps {
		time.Sleep(stepAfter)
		if err := set(time.Now().Add(step)); err != nil {
			return a, err
		}
	}
	err = c.Wait()
	o.Said = said()
	return a, errors.Join(err, json.Unmarshal([]byte(out.String()), &a))
}

func set(to time.Time) error {
	t := unix.NsecToTimeval(to.UnixNano())
	return unix.Settimeofday(&t)
}

// compareSteps compares what was recorded with what is in the files, in which the last sample is of about the time
// end, a Unix time in nanoseconds to which the time since before is added.
func compareSteps(a account, files string, end int64, before time.Time) error {
	written, last := 0, int64(0)
	for n := 1; ; n++ {
		samples, err := judge.ReadSamples(fmt.Sprintf("%s-%04d.jsonl", files, n))
		if errors.Is(err, os.ErrNotExist) {
			break
		}
		if err != nil {
			return err
		}
		if written += len(samples); len(samples) > 0 {
			last = samples[len(samples)-1].T
		}
	}
	lost := 0 // an emulated CPU may be too slow for all
	for _, n := range a.Lost {
		lost += n
	}
	if written == 0 || a.Written != written || a.Taken != written+lost {
		return fmt.Errorf("%+v, but %d samples in the files", a, written)
	}
	if off := time.Duration(end + int64(time.Since(before)) - last); off.Abs() > time.Minute {
		return fmt.Errorf("the last sample is %v off", off)
	}
	return nil
}
