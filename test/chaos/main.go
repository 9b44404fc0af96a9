// Command chaos does to hotspan and to what it profiles whatever happens on a machine: hotspan is killed at random
// times, stopped, and gets neither memory nor disk nor readers; processes are killed, stopped, become other programs,
// start others, and are hostile. After each trial all services must serve, nothing of hotspan may be left in the
// kernel, memory and descriptors of a hotspan that goes on must be back, and the samples that it says are written and
// lost must be all.
package main

import (
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/hotspan/hotspan/test/nodes"
)

// fullRun is how long a full run takes, with so many kills.
const (
	fullRun   = 10 * time.Minute
	fullKills = 200
)

func main() {
	d := flag.Duration("duration", fullRun, "how long to go on; there are 200 kills in ten minutes")
	seed := flag.Uint64("seed", uint64(time.Now().UnixNano()), "what order and times of the trials are drawn from")
	only := flag.String("only", "", "only the trial of this `name`")
	hostile := flag.Duration("hostile", hostileTime, "how long a hostile process runs")
	hotspan := flag.String("hotspan", "bin/hotspan", "hotspan binary")
	flag.Parse()
	fmt.Printf("seed %d\n", *seed)
	chosen := trials
	if *only != "" {
		chosen = slices.DeleteFunc(slices.Clone(trials), func(t trial) bool { return t.name != *only })
	}
	results, err := run(&chaos{hotspan: *hotspan, seed: *seed, hostile: *hostile}, chosen, *d)
	print(os.Stdout, results)
	if err != nil {
		fmt.Fprintln(os.Stderr, "chaos:", err)
	}
	if err != nil || failures(results) > 0 {
		os.Exit(1)
	}
}

// run does trials until d is over, each of them once at least.
func run(c *chaos, trials []trial, d time.Duration) (all []*result, err error) {
	if len(trials) == 0 {
		return nil, errors.New("there is no such trial")
	}
	if c.dir, err = os.MkdirTemp("", "hotspan-chaos-"); err != nil {
		return nil, err
	}
	defer os.RemoveAll(c.dir)
	c.random = rand.New(rand.NewPCG(c.seed, 0))
	defer func() {
		for _, s := range c.services {
			_ = s.kill()
		}
	}()
	if err := c.prepare(); err != nil {
		return nil, err
	}
	return c.inTurn(trials, d), nil
}

// versions of Node.js that serve: with and without AsyncContextFrame. Targets that come and go are of the first.
var versions = []string{"24.21.0", "20.20.2"}

// prepare starts the services and their load, and learns what hotspan leaves in the kernel while it runs.
func (c *chaos) prepare() (err error) {
	c.script = filepath.Join("test/chaos", "service.js")
	if c.objects.before, err = objects(); err != nil {
		return err
	}
	for _, v := range versions {
		node, err := nodes.Path(v)
		if err != nil {
			return err
		}
		if c.node == "" {
			c.node = node
		}
		s, err := startService(node, c.script, c.dir)
		if err != nil {
			return err
		}
		c.services = append(c.services, s)
		go s.load()
	}
	p, err := c.agent()
	if err != nil {
		return err
	}
	defer p.kill()
	return c.objects.learn(p)
}

// inTurn does a kill where as many are due, else the next of the other trials.
func (c *chaos) inTurn(trials []trial, d time.Duration) []*result {
	var kill *result
	var others, all []*result
	for i := range trials {
		r := &result{trial: &trials[i]}
		if all = append(all, r); r.name == killName {
			kill = r
		} else {
			others = append(others, r)
		}
	}
	kills := max(1, int(float64(fullKills)*d.Seconds()/fullRun.Seconds()))
	begin, next := time.Now(), 0
	for {
		passed := time.Since(begin)
		due := int(float64(kills) * min(1, passed.Seconds()/d.Seconds()))
		over := passed >= d && next >= len(others)
		switch {
		case kill != nil && kill.runs < kills && (kill.runs <= due || over || len(others) == 0):
			c.try(kill)
		case over || len(others) == 0:
			return all
		default:
			if next%len(others) == 0 {
				c.random.Shuffle(len(others), func(i, j int) { others[i], others[j] = others[j], others[i] })
			}
			c.try(others[next%len(others)])
			next++
		}
	}
}

// try does a trial, and checks what must be so after each.
func (c *chaos) try(r *result) {
	if r.skipped != "" {
		return
	}
	begin := time.Now()
	f, err := r.run(c)
	if skip := (skipError)(""); errors.As(err, &skip) {
		r.skipped = string(skip)
		return
	}
	errs := []error{err, c.objects.left()}
	for _, s := range c.services {
		errs = append(errs, s.check())
	}
	r.add(f, time.Since(begin), errors.Join(errs...))
}
