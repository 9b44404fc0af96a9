package main

import (
	"fmt"
	"time"
)

// trial is something that is done to hotspan, or to what it profiles.
type trial struct {
	name string
	run  func(*chaos) (figures, error)
}

const killName = "hotspan killed"

// trials are all of them. CI does every second one, so neighbours take about as long.
var trials = []trial{
	{killName, (*chaos).killHotspan},
	{"targets killed", targets(20, (*chaos).killTarget)},
	{"targets stopped", targets(20, (*chaos).stopTarget)},
	{"targets exec'ed", targets(8, (*chaos).execTarget)},
	{"targets forking", targets(1, (*chaos).forkTarget)},
	{"ring buffer full", (*chaos).fillRing},
	{"memory limited", (*chaos).limitMemory},
	{"disk full, record", (*chaos).fillDiskOfRecord},
	{"disk full, agent", (*chaos).fillDiskOfAgent},
	{"standard error closed", (*chaos).closeStandardError},
	{"output pipe closed", (*chaos).closeOutput},
	{"stream closed", (*chaos).closeStream},
	{"many executables", (*chaos).manyExecutables},
	{"hostile process", (*chaos).besideHostile},
}

// killHotspan kills an agent or a recording that starts, attaches or samples.
func (c *chaos) killHotspan() (figures, error) {
	args := c.agentArgs(c.dir)
	if c.random.IntN(2) == 0 {
		args = c.recordArgs(c.dir, "-F", rate)
	}
	p, err := begin(c.command(args...))
	if err != nil {
		return figures{}, err
	}
	time.Sleep(c.within(1500 * time.Millisecond))
	peak := p.status("VmHWM")
	select {
	case err := <-p.ended:
		return figures{}, fmt.Errorf("hotspan has ended by itself: %v\n%s", err, &p.said)
	default:
	}
	p.kill()
	return figures{events: 1, peak: peak}, nil
}

// targets does something to processes while an agent profiles them. Then it waits until the agent is as it was after
// the first of these events.
func targets(times int, do func(*chaos) (events int, err error)) func(*chaos) (figures, error) {
	return func(c *chaos) (f figures, err error) {
		p, err := c.agent()
		if err != nil {
			return f, err
		}
		defer p.kill()
		if f.events, err = do(c); err != nil { // what is parsed for the first target is not given back
			return f, err
		}
		time.Sleep(time.Second)
		before := measure(p)
		if c.brief {
			times = min(times, 4)
		}
		for range times - 1 {
			n, err := do(c)
			if f.events += n; err != nil {
				return f, err
			}
		}
		if err := f.back(p, before); err != nil {
			return f, err
		}
		return f, f.finish(p)
	}
}
