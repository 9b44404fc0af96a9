package e2e

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/hotspan/hotspan/agent"
	reqctx "github.com/hotspan/hotspan/context"
	"github.com/hotspan/hotspan/pprofx"
	"github.com/hotspan/hotspan/test/draw"
)

// collector is a sink that keeps all snapshots.
type collector struct {
	mu  sync.Mutex
	all []*pprofx.Snapshot
}

func (c *collector) Name() string { return "the test" }

func (c *collector) Write(_ context.Context, s *pprofx.Snapshot) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.all = append(c.all, s)
	return nil
}

// TestChange: forty changes of rate, rules and period while requests run. The intervals touch, all that was taken is
// written or lost, each snapshot has the labels of one set of rules only, and the weights of its samples add up to no
// more CPU time than there was.
func TestChange(t *testing.T) {
	t.Parallel()
	draw.Quarter(t, seldom)
	p := start(t, node24(t), "requests.js", nil, nil)
	var got collector
	config := agent.Config{
		Select: agent.Selection{PIDs: []int{p.PID}}, Rate: 99, SnapshotEvery: 100 * time.Millisecond,
		Labels: reqctx.Kinds{Custom: true}, Sinks: []agent.Sink{&got},
	}
	a, err := agent.New(config)
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	var stats agent.Stats
	var ended sync.WaitGroup
	ended.Go(func() { stats, err = a.Run(ctx) })
	rates := []int{99, 1999, 499, 1999, 97, 997}
	for i := range 40 {
		time.Sleep(time.Duration(50+i*7%60) * time.Millisecond)
		config.Rate = rates[i%len(rates)]
		rule, err := reqctx.ParseRule(fmt.Sprintf("rule%d=endpoint", i/3%2))
		if err != nil {
			t.Fatal(err)
		}
		config.Rules = []reqctx.Rule{rule}
		config.SnapshotEvery = time.Duration(100+i%3*50) * time.Millisecond
		if err := a.Change(t.Context(), config); err != nil {
			t.Fatal(err)
		}
	}
	stop()
	ended.Wait()
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d taken, %d written, %d lost, %d with labels", stats.Taken, stats.Written, stats.LostSum(), stats.Labelled)
	if stats.Taken != stats.Written+stats.LostSum() || stats.LostSum() > stats.Taken/100 {
		t.Errorf("%d taken, %d written, lost %v", stats.Taken, stats.Written, stats.Lost)
	}
	if n := checkIntervals(t, got.all, 0, 0); int64(n) != stats.Written || stats.Labelled < stats.Taken/4 {
		t.Errorf("%d samples in snapshots, %d written, %d with labels", n, stats.Written, stats.Labelled)
	}
	for i, s := range got.all {
		checkWeights(t, i, s)
		var keys []string
		for _, labels := range s.LabelSets {
			for _, l := range labels {
				keys = append(keys, l.Key)
			}
		}
		if slices.Contains(keys, "rule0") && slices.Contains(keys, "rule1") {
			t.Errorf("snapshot %d has labels of two sets of rules", i)
		}
	}
	if err := a.Change(t.Context(), config); err == nil {
		t.Error("an agent that has ended was changed")
	}
}

// TestChangeMeanwhile: rules change while processes start and end. In the end each that runs has labels by the last
// rules, and no snapshot has labels of two.
func TestChangeMeanwhile(t *testing.T) {
	t.Parallel()
	const role = "ROLE=changed meanwhile"
	changed := agent.Variable{Name: "ROLE", Value: regexp.MustCompile("^changed mean")}
	var got collector
	config := agent.Config{
		Select: agent.Selection{Environment: []agent.Variable{changed}}, Wait: true, Rate: 199,
		SnapshotEvery: 200 * time.Millisecond, Labels: reqctx.Kinds{Custom: true}, Sinks: []agent.Sink{&got},
	}
	start(t, node24(t), "requests.js", nil, []string{role}) // the files are read before sampling
	a, err := agent.New(config)
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	var stats agent.Stats
	var ended sync.WaitGroup
	ended.Go(func() { stats, err = a.Run(ctx) })
	var programs []program
	for i := range 24 {
		if i%4 == 0 {
			programs = append(programs, launch(t, node24(t), "requests.js", nil, []string{role}))
		}
		time.Sleep(100 * time.Millisecond)
		rule, err := reqctx.ParseRule(fmt.Sprintf("rule%d=endpoint", i%3))
		if err != nil {
			t.Fatal(err)
		}
		config.Rules = []reqctx.Rule{rule}
		if err := a.Change(t.Context(), config); err != nil {
			t.Fatal(err)
		}
	}
	programs[0].Kill()
	for _, p := range programs[1:] {
		p.await(t)
	}
	time.Sleep(4 * time.Second)
	stop()
	ended.Wait()
	if err != nil || stats.Taken != stats.Written+stats.LostSum() {
		t.Errorf("%v; %d taken, %d written, lost %v", err, stats.Taken, stats.Written, stats.Lost)
	}
	checkIntervals(t, got.all, 0, 0)
	last := map[int32]bool{}
	for i, s := range got.all {
		rules := map[string]bool{}
		for _, r := range s.Rows {
			for _, l := range s.LabelSets[r.Labels] {
				rules[l.Key] = true
				last[r.PID] = last[r.PID] || l.Key == "rule2" && i > len(got.all)-20
			}
		}
		if len(rules) > 1 {
			t.Errorf("snapshot %d has labels of %v", i, rules)
		}
	}
	for _, p := range programs[1:] {
		if !last[int32(p.PID)] {
			t.Errorf("process %d has no label by the last rule", p.PID)
		}
	}
}

// checkWeights checks that no CPU of a snapshot ran for longer than its interval.
func checkWeights(t *testing.T, i int, s *pprofx.Snapshot) {
	t.Helper()
	cpus := map[uint16]int64{}
	for _, r := range s.Rows {
		cpus[r.CPU] += s.Period
	}
	for cpu, ran := range cpus {
		if ran > s.End-s.Start+s.Period {
			t.Errorf("snapshot %d of %v has %v of CPU %d", i, time.Duration(s.End-s.Start), time.Duration(ran), cpu)
		}
	}
}
