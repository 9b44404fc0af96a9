package main

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/hotspan/hotspan/test/nodes"
	"github.com/hotspan/hotspan/test/truth"
	"github.com/hotspan/hotspan/test/truth/judge"
	"github.com/hotspan/hotspan/test/truth/trial"
)

// How long the programs are sampled, and how often a second.
const (
	mainSeconds, tierSeconds = 6 * time.Second, 3 * time.Second
	rate                     = 997
)

// tries is how often a release is tried if the time of day is set meanwhile.
const tries = 3

// trials tries releases.
type trials struct{ hotspan, keep string }

// release is one that is here to be tried, in a directory of its own.
type release struct {
	version, dir, node string
	err                error
}

// get downloads a release unless it is here.
func (t *trials) get(version string) release {
	dir, err := os.MkdirTemp(t.keep, "hotspan-releases-")
	r := release{version: version, dir: dir, err: err}
	if err == nil {
		r.node, r.err = binary(version, dir)
	}
	return r
}

// done deletes what a release and its trials have left.
func (t *trials) done(of release, r Result) {
	if t.keep == "" || len(r.lacks()) == 0 {
		os.RemoveAll(of.dir)
	}
}

// try tries a release. A trial that fails is a Result that says why.
func (t *trials) try(of release) (r Result) {
	r.Node = of.version
	err := of.err
	for try := 1; err == nil; try++ {
		r = Result{Node: of.version}
		err = t.both(&r, of.dir, of.node)
		if try == tries || !errors.Is(err, errUnsteady) && !errors.Is(err, errVague) {
			break
		}
		err = nil
	}
	if err != nil {
		r.Failed = strings.ReplaceAll(err.Error(), cmp.Or(of.dir, "…"), "…")
	}
	return r
}

func binary(version, dir string) (string, error) {
	listed := func(v nodes.Version) bool { return v.Version == version }
	if slices.ContainsFunc(nodes.Versions(), listed) {
		return nodes.Path(version)
	}
	return nodes.Download(version, dir)
}

// both runs functions.js and requests.js at the same time, then tiers.js in all tiers at the same time.
func (t *trials) both(r *Result, dir, node string) error {
	err := t.together(r, dir, node, mainSeconds, []run1{
		{script: "functions.js", flags: []string{"--expose-gc"}, judge: (*Result).functions},
		{script: "requests.js", judge: (*Result).labels, look: true},
	})
	if err != nil {
		return err
	}
	var tiers []run1
	for _, tier := range trial.Tiers {
		if flags, ok := tier.Flags(nodes.Version{Version: r.Node}); ok {
			tiers = append(tiers, run1{script: "tiers.js", flags: flags, env: "TIER=" + tier.Name,
				judge: (*Result).tiers})
		}
	}
	return t.together(r, dir, node, tierSeconds, tiers)
}

// run1 is one run of a program.
type run1 struct {
	script string
	flags  []string
	env    string
	judge  func(*Result, []judge.Sample, *truth.Log) error
	look   bool // doctor looks at it too

	program *trial.Program
}

// together runs programs, samples all of them at once, and judges each.
func (t *trials) together(r *Result, dir, node string, d time.Duration, runs []run1) error {
	out := filepath.Join(dir, strings.TrimSuffix(runs[0].script, ".js")+".jsonl")
	args := []string{"record", "-F", strconv.Itoa(rate), "-d", d.String(), "-o", out}
	args = append(args, judge.Flags(judge.StoreRules)...)
	for i := range runs {
		if err := runs[i].start(dir, node); err != nil {
			return err
		}
		defer runs[i].program.Kill()
		args = append(args, "-p", strconv.Itoa(runs[i].program.Process.Pid))
	}
	for _, p := range runs {
		if err := p.program.Await(); err != nil {
			return err
		}
	}
	said, err := trial.Run(t.hotspan, args...)
	if err != nil {
		return err
	}
	if said.Code != 0 {
		return fmt.Errorf("hotspan record ended with %d: %s", said.Code, refusal(said.Stderr))
	}
	r.warned(said.Stderr)
	samples, err := judge.ReadSamples(out)
	if err != nil {
		return err
	}
	return t.judge(r, runs, samples)
}

func (p *run1) start(dir, node string) (err error) {
	own, err := os.MkdirTemp(dir, "run-")
	if err != nil {
		return err
	}
	env := []string{"DURATION_MS=60000", p.env}
	p.program, err = trial.Launch(own, node, filepath.Join("test/programs", p.script), p.flags, env)
	return err
}

var warning = regexp.MustCompile(`(?m)^hotspan: warn: (.*?)(, pid [0-9]+|$)`)

// warned takes what hotspan record warned of.
func (r *Result) warned(stderr string) {
	for _, m := range warning.FindAllStringSubmatch(stderr, -1) {
		r.unknown(m[1])
	}
}

func (r *Result) unknown(what string) {
	if !slices.Contains(r.Unknown, what) {
		r.Unknown = append(r.Unknown, what)
	}
}

// fails reports whether a program fails without hotspan too.
func (p *run1) fails() bool {
	c := exec.Command(p.program.Args[0], p.program.Args[1:]...)
	c.Env = append(os.Environ(), "DURATION_MS=4000", p.env)
	return c.Run() != nil
}

// errUnsteady says that the time of day was set during a trial. hotspan and the program's log each take its difference
// to the monotonic clock once, at other instants.
var errUnsteady = errors.New("the time of day was set meanwhile")

// steady is an error if the clocks of a log ran apart by more than what is left out at the edges of intervals.
func steady(l *truth.Log) error {
	first, last := l.Clocks[0], l.Clocks[len(l.Clocks)-1]
	if d := time.Duration(last.Unix - first.Unix - (last.Mono - first.Mono)); d.Abs() > truth.Guard {
		return fmt.Errorf("%s: %w, by %v", l.Header.Program, errUnsteady, d)
	}
	return nil
}

// errVague says that too many samples were taken at instants of which a log does not tell what ran.
var errVague = errors.New("samples at the edges of intervals")

// told is an error if the log of a program did not tell enough of the samples.
func told(l *truth.Log, v judge.Functions) error {
	if judge.TooVague(v.AtEdge()) {
		return fmt.Errorf("%s: %w: %v", l.Header.Program, errVague, v.AtEdge())
	}
	return nil
}

// refusal is the last line of what hotspan said.
func refusal(stderr string) string {
	lines := strings.Split(strings.TrimSpace(stderr), "\n")
	return lines[len(lines)-1]
}

func (t *trials) judge(r *Result, runs []run1, samples []judge.Sample) error {
	for _, p := range runs {
		if p.look {
			if err := t.look(r, p.program.PID); err != nil {
				return err
			}
		}
		if err := p.program.Stop(); err != nil {
			return err
		}
		l, err := p.program.Truth()
		if err != nil && p.fails() {
			r.Crashes = append(r.Crashes, strings.TrimSpace(p.script+" "+strings.Join(p.flags, " ")))
			continue
		}
		if err != nil {
			return err
		}
		if err := steady(l); err != nil {
			return err
		}
		own := slices.DeleteFunc(slices.Clone(samples), func(s judge.Sample) bool { return s.PID != p.program.PID })
		if len(own) == 0 {
			return fmt.Errorf("%s: no samples", p.script)
		}
		if err := p.judge(r, own, l); err != nil {
			return err
		}
	}
	return nil
}

var (
	v8Version = regexp.MustCompile(`runs +Node\.js [0-9.]+, V8 ([0-9.]+)`)
	verified  = regexp.MustCompile(`verified +([0-9]+) of them`)
	wrong     = regexp.MustCompile(`(?m)WRONG +(.*)$`)
	unknown   = regexp.MustCompile(`(?m)unknown +(.*)$`)
)

// look has doctor compare the layout with a process.
func (t *trials) look(r *Result, pid int) error {
	out, err := exec.Command(t.hotspan, "doctor", "-p", strconv.Itoa(pid)).Output()
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) { // it ends with 1 if something is missing
		return err
	}
	r.examined(string(out))
	return nil
}

// examined takes from doctor's output what it says of the layout.
func (r *Result) examined(said string) {
	first := func(e *regexp.Regexp) string {
		if m := e.FindStringSubmatch(said); m != nil {
			return m[1]
		}
		return ""
	}
	r.V8 = first(v8Version)
	r.Verified, _ = strconv.Atoi(first(verified))
	for _, m := range wrong.FindAllStringSubmatch(said, -1) {
		r.Wrong = append(r.Wrong, m[1])
	}
	for _, m := range unknown.FindAllStringSubmatch(said, -1) {
		r.unknown(m[1])
	}
}

func (r *Result) functions(samples []judge.Sample, l *truth.Log) error {
	v := judge.CompareFunctions(samples, l)
	r.Functions.add(v.Right, v.Wrong)
	r.Lines.add(v.Line, 0)
	tell(v.Wrong > 0, v.Examples.List())
	return told(l, v)
}

func (r *Result) tiers(samples []judge.Sample, l *truth.Log) error {
	v := judge.CompareFunctions(samples, l)
	r.Functions.add(v.Right, 0) // what the clock cannot tell counts as wrong there
	r.Lines.add(v.Line, 0)
	chains := judge.CompareChains(samples, l)
	r.Chains.add(chains.Whole, chains.Whole.Whole-chains.Whole.Part)
	tell(true, chains.Examples.List())
	return told(l, v)
}

// learning is how long hotspan has to learn where async_hooks keep stores; the samples before lack labels. On a busy
// machine that takes a second.
const learning = 2 * time.Second

// toLearn is how long it has on this version.
func (r *Result) toLearn() time.Duration {
	if options, ok := (nodes.Version{Version: r.Node}).AsyncContextFrame(); ok && len(options) == 0 {
		return 0
	}
	return learning
}

func (r *Result) labels(samples []judge.Sample, l *truth.Log) error {
	from := samples[0].T + int64(r.toLearn())
	samples = slices.DeleteFunc(samples, func(s judge.Sample) bool { return s.T < from })
	v := judge.CompareLabels(samples, l, judge.RequestLabels)
	r.Labels.add(v.Right, v.Wrong+v.Outside)
	tell(v.Wrong+v.Outside > 0 || v.Right.Percent() < 99, v.Examples.List())
	return nil
}

// tell prints examples of what is amiss.
func tell(amiss bool, examples []string) {
	for _, e := range examples {
		if amiss {
			fmt.Fprintln(os.Stderr, e)
		}
	}
}
