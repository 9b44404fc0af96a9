package main

import (
	"fmt"
	"os/exec"
	"strconv"
	"syscall"
	"time"
)

// killTarget starts a process that works, and kills it at a random time of its life.
func (c *chaos) killTarget() (int, error) {
	cmd := exec.Command(c.node, "-e", "for (;;) JSON.stringify({ a: new Array(100).fill(1) })", c.dir)
	if err := cmd.Start(); err != nil {
		return 0, err
	}
	time.Sleep(c.within(400 * time.Millisecond))
	err := cmd.Process.Kill()
	_ = cmd.Wait() // it is killed
	return 1, err
}

// stopTarget stops one of the services for a moment.
func (c *chaos) stopTarget() (int, error) {
	s := c.services[c.random.IntN(len(c.services))]
	if err := s.Process.Signal(syscall.SIGSTOP); err != nil {
		return 0, err
	}
	time.Sleep(c.within(200 * time.Millisecond))
	if err := s.Process.Signal(syscall.SIGCONT); err != nil {
		return 0, err
	}
	time.Sleep(c.within(100 * time.Millisecond))
	return 1, nil
}

// execTarget has a service become another program at a random time, twice.
func (c *chaos) execTarget() (int, error) {
	s, err := startService(c.node, c.script, c.dir)
	if err != nil {
		return 0, err
	}
	defer func() { _ = s.kill() }()
	const execs = 2
	for range execs {
		time.Sleep(c.within(300 * time.Millisecond))
		if _, err := s.get("/exec"); err != nil {
			return 0, fmt.Errorf("before execve: %w", err)
		}
		if err := s.answersAgain(); err != nil {
			return 0, fmt.Errorf("after execve: %w", err)
		}
	}
	return execs, s.check()
}

// forkTarget has a service start 50 processes a second.
func (c *chaos) forkTarget() (int, error) {
	s := c.services[c.random.IntN(len(c.services))]
	const seconds = 3
	said, err := s.get(fmt.Sprintf("/fork?%d", seconds*1000))
	if err != nil {
		return 0, err
	}
	n, err := strconv.Atoi(said)
	if err == nil && n < seconds*50/4 { // a busy machine starts fewer
		err = fmt.Errorf("only %d processes were started in %d s", n, seconds)
	}
	return n, err
}
