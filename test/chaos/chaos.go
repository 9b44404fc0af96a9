package main

import (
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"time"
)

// chaos is a run of trials.
type chaos struct {
	hotspan string
	seed    uint64
	brief   bool          // a trial does less
	hostile time.Duration // how long a hostile process runs

	dir, node, script string
	random            *rand.Rand
	services          []*service
	objects           kernelObjects
}

// within is a time from 0 to d.
func (c *chaos) within(d time.Duration) time.Duration {
	return time.Duration(c.random.Int64N(int64(d)))
}

// skipError says why this machine has not what a trial needs.
type skipError string

func (s skipError) Error() string { return string(s) }

// command is hotspan with arguments.
func (c *chaos) command(args ...string) *exec.Cmd { return exec.Command(c.hotspan, args...) }

// rate is that of most trials, in samples a second.
const rate = "999"

// agentArgs are those of an agent that profiles what this run has started from a folder. It has a store of its own.
func (c *chaos) agentArgs(dir string) []string {
	store, err := os.MkdirTemp(c.dir, "store-")
	if err != nil {
		store = filepath.Join(c.dir, "store") // the agent will say what is amiss
	}
	return []string{"agent", "--name", dir, "--rate", rate, "--period", "500ms", "--cpu-percent", "0",
		"--store", store, "--socket", filepath.Join(store, "socket")}
}

// recordArgs are those of a recording into a file of a folder.
func (c *chaos) recordArgs(dir string, more ...string) []string {
	return append([]string{"record", "--name", c.dir, "-o", filepath.Join(dir, "out.jsonl")}, more...)
}

// agent starts an agent, and waits until it samples.
func (c *chaos) agent() (*profiler, error) { return c.agentOf(c.dir) }

// agentOf starts an agent that profiles what this run has started from a folder, and waits until it samples.
func (c *chaos) agentOf(dir string) (*profiler, error) {
	p, err := begin(c.command(c.agentArgs(dir)...))
	if err != nil {
		return nil, err
	}
	if err := p.sampling(); err != nil {
		p.kill()
		return nil, err
	}
	return p, nil
}
