package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"time"
)

// ownFunctions are the functions of service.js at work. A sample that has one of them is one that was named. Which of
// them it has depends on what V8 inlined, and on whether the profiler knows inlined functions.
var ownFunctions = map[string]bool{"work": true, "serveRequest": true, "dispatch": true, "price": true,
	"parseOrders": true, "hashOrder": true, "render": true}

// service is a running service.js.
type service struct {
	*exec.Cmd
	in  io.WriteCloser
	out *bufio.Scanner
}

// startService starts a service, which ends with the context or by end.
func startService(ctx context.Context, node string) (*service, error) {
	s := &service{Cmd: exec.CommandContext(ctx, node, "test/bench/service.js")}
	var err error
	if s.in, err = s.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := s.StdoutPipe()
	if err != nil {
		return nil, err
	}
	s.out = bufio.NewScanner(out)
	if err := s.Start(); err != nil {
		return nil, fmt.Errorf("service: %w", err)
	}
	if !s.out.Scan() || !strings.HasPrefix(s.out.Text(), "ready ") {
		s.end()
		return nil, fmt.Errorf("service.js ended before it was ready: node_modules of test/programs may be missing")
	}
	return s, nil
}

func (s *service) pid() int { return s.Process.Pid }

// begin has the service do units of work; result waits until they are done.
func (s *service) begin(units int) error {
	_, err := fmt.Fprintf(s.in, "work %d\n", units)
	return err
}

// result is what the last units took, of CPU time and by the clock.
func (s *service) result() (cpu, wall time.Duration, err error) {
	var said struct{ CPU, Wall int64 }
	if !s.out.Scan() {
		return 0, 0, fmt.Errorf("the service ended at its work: %v", s.out.Err())
	}
	if err := json.Unmarshal(s.out.Bytes(), &said); err != nil || said.CPU <= 0 {
		return 0, 0, fmt.Errorf("the service said %q: %w", s.out.Text(), err)
	}
	return time.Duration(said.CPU) * time.Microsecond, time.Duration(said.Wall) * time.Microsecond, nil
}

func (s *service) work(units int) (cpu, wall time.Duration, err error) {
	if err := s.begin(units); err != nil {
		return 0, 0, err
	}
	return s.result()
}

// warmUp works for some seconds, until V8 has compiled what is hot, and returns how many units take a second of CPU.
func (s *service) warmUp() (perSecond float64, err error) {
	var cpu time.Duration
	const units = 1000
	for range 6 {
		if cpu, _, err = s.work(units); err != nil {
			return 0, err
		}
	}
	return units / cpu.Seconds(), nil
}

func (s *service) end() {
	s.in.Close()
	s.Process.Kill()
	s.Wait()
}
