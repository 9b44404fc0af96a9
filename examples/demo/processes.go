package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"time"
)

const (
	startTimeout = 30 * time.Second // for the service to listen
	stopTimeout  = 5 * time.Second  // for a process to end after a signal
)

// child is a process that the demo started.
type child struct {
	cmd *exec.Cmd
}

func (c child) pid() int { return c.cmd.Process.Pid }

// stop ends the process by SIGTERM, or by SIGKILL after stopTimeout.
func (c child) stop() {
	c.cmd.Process.Signal(syscall.SIGTERM) // fails only if the process has ended
	force := time.AfterFunc(stopTimeout, func() { c.cmd.Process.Kill() })
	c.cmd.Wait()
	force.Stop()
}

type service struct {
	child
	url string
}

func startService(ctx context.Context, o options) (*service, error) {
	cmd := exec.CommandContext(ctx, o.node, "--require", "./tracing.js", "server.js")
	cmd.Dir = o.service
	cmd.Env = append(os.Environ(), "PORT=0")
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("start the service: %w", err)
	}
	s := &service{child: child{cmd}}
	s.url, err = listening(out)
	if err != nil {
		s.stop()
		return nil, err
	}
	return s, nil
}

// listening waits for the line in which the service prints its URL.
func listening(out io.Reader) (string, error) {
	found := make(chan string, 1)
	go func() {
		defer close(found)
		for lines := bufio.NewScanner(out); lines.Scan(); {
			if url, ok := strings.CutPrefix(lines.Text(), "listening on "); ok {
				found <- url
				io.Copy(io.Discard, out)
				return
			}
		}
	}()
	select {
	case url, ok := <-found:
		if !ok {
			return "", errors.New("the service ended before it listened")
		}
		return url, nil
	case <-time.After(startTimeout):
		return "", fmt.Errorf("the service does not listen after %s", startTimeout)
	}
}

func startLoad(ctx context.Context, o options, url string, seconds int) (child, error) {
	cmd := exec.CommandContext(ctx, o.node, "load.js", url, strconv.Itoa(seconds))
	cmd.Dir = o.service
	if err := cmd.Start(); err != nil {
		return child{}, fmt.Errorf("start the load: %w", err)
	}
	return child{cmd}, nil
}

// runHotspan runs a verb, and waits for its end.
func runHotspan(ctx context.Context, o options, args ...string) error {
	cmd := exec.CommandContext(ctx, o.hotspan, args...)
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) } // Ctrl-C writes the file
	cmd.WaitDelay = stopTimeout
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	err := cmd.Run()
	if ctx.Err() != nil {
		return errors.New("interrupted")
	}
	if err != nil {
		return fmt.Errorf("hotspan %s failed (%w): %s doctor says what this machine lacks", args[0], err, o.hotspan)
	}
	return nil
}

func sleep(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return errors.New("interrupted")
	}
}
