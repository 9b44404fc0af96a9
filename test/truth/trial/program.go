// Package trial runs a program of test/programs, and a profiler on it.
package trial

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/hotspan/hotspan/test/truth"
	"github.com/hotspan/hotspan/test/truth/judge"
)

// Program is a run of one of test/programs.
type Program struct {
	*exec.Cmd
	PID   int
	log   string     // file of the truth
	ended chan error // what Wait said; the channel is closed then
}

// Start runs a script, which writes its truth into the folder dir, and waits until it says that it is ready. What it
// says before is in the error if it does not.
func Start(dir, node, script string, flags, env []string) (*Program, error) {
	p := &Program{log: filepath.Join(dir, "truth.jsonl"), ended: make(chan error, 1)}
	p.Cmd = exec.Command(node, append(append([]string{}, flags...), script, p.log)...)
	p.Env = append(os.Environ(), env...)
	stderr, err := p.StderrPipe()
	if err != nil {
		return nil, err
	}
	if err := p.Cmd.Start(); err != nil {
		return nil, err
	}
	return p, p.ready(stderr)
}

// ready reads what the program says until it says that. From then on its end is waited for, so that it does not stay
// as a zombie, which has a pid.
func (p *Program) ready(stderr io.Reader) error {
	var said []string
	for lines := bufio.NewScanner(stderr); lines.Scan(); {
		if pid, ok := strings.CutPrefix(lines.Text(), "ready "); ok {
			var err error
			p.PID, err = strconv.Atoi(pid)
			go p.await()
			return err
		}
		said = append(said, lines.Text())
	}
	p.await()
	return fmt.Errorf("%v ended before it was ready: %v: %s", p.Args, <-p.ended, strings.Join(said, "\n"))
}

func (p *Program) await() {
	if err := p.Wait(); err != nil {
		p.ended <- fmt.Errorf("%v: %w", p.Args, err)
	}
	close(p.ended)
}

// Kill ends the program if it still runs.
func (p *Program) Kill() {
	p.Process.Kill()
	for range p.ended {
	}
}

// Truth waits for the program's end and reads what it wrote.
func (p *Program) Truth() (*truth.Log, error) {
	if err := <-p.ended; err != nil {
		return nil, err
	}
	return truth.ReadFile(p.log)
}

// Result is what a run of hotspan left.
type Result struct {
	Code   int // its exit code
	Stderr string
	Took   time.Duration
}

// Run runs hotspan to its end. That it did not end well is no error.
func Run(hotspan string, args ...string) (Result, error) {
	var stderr bytes.Buffer
	c := exec.Command(hotspan, args...)
	c.Stderr = &stderr
	begin := time.Now()
	err := c.Run()
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
		return Result{}, err
	}
	return Result{c.ProcessState.ExitCode(), stderr.String(), time.Since(begin)}, nil
}

// Record samples a process, for d or until it ends, and reads the samples. What hotspan said is in the Result.
func Record(hotspan, dir string, pid, rate int, d time.Duration, more ...string) ([]judge.Sample, Result, error) {
	file := filepath.Join(dir, "out.jsonl")
	args := []string{"record", "-p", strconv.Itoa(pid), "-F", strconv.Itoa(rate), "-d", d.String(), "-o", file}
	r, err := Run(hotspan, append(args, more...)...)
	if err != nil {
		return nil, r, err
	}
	if r.Code != 0 {
		return nil, r, fmt.Errorf("hotspan %v ended with %d: %s", args, r.Code, r.Stderr)
	}
	samples, err := judge.ReadSamples(file)
	return samples, r, err
}
