// Package trial runs a program of test/programs and profiles it.
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
	"sync"
	"time"

	"github.com/hotspan/hotspan/test/truth"
	"github.com/hotspan/hotspan/test/truth/judge"
)

// Program is a run of a program of test/programs.
type Program struct {
	*exec.Cmd
	PID    int
	Log    string // file of the truth
	End    string // file that ends the program
	stderr io.Reader
	reap   sync.Once
	ended  chan error // what Wait said; the channel is closed then
}

// Start launches a script and waits until it is ready.
func Start(dir, node, script string, flags, env []string) (*Program, error) {
	p, err := Launch(dir, node, script, flags, env)
	if err != nil {
		return nil, err
	}
	return p, p.Await()
}

// Launch runs a script, which writes its log into the folder dir. Each run needs a folder of its own.
func Launch(dir, node, script string, flags, env []string) (*Program, error) {
	log, end := filepath.Join(dir, "truth.jsonl"), filepath.Join(dir, "stop")
	c := exec.Command(node, append(append([]string{}, flags...), script, log)...)
	c.Env = append(append(os.Environ(), "STOP="+end), env...)
	p, err := Begin(c)
	if err != nil {
		return nil, err
	}
	p.Log, p.End = log, end
	return p, nil
}

// Begin runs a command whose arguments and environment make it a program. The caller sets Log and End, the paths of its
// files.
func Begin(c *exec.Cmd) (*Program, error) {
	p := &Program{Cmd: c, ended: make(chan error, 1)}
	var err error
	if p.stderr, err = p.StderrPipe(); err != nil {
		return nil, err
	}
	return p, p.Cmd.Start()
}

// Await waits until the program says that it is ready. If it does not, the error has its output. From then on the
// program is waited for, so that it does not remain as a zombie, which has a pid.
func (p *Program) Await() error {
	defer p.reap.Do(p.await)
	var said []string
	for lines := bufio.NewScanner(p.stderr); lines.Scan(); {
		if pid, ok := strings.CutPrefix(lines.Text(), "ready "); ok {
			var err error
			p.PID, err = strconv.Atoi(pid)
			return err
		}
		said = append(said, lines.Text())
	}
	return fmt.Errorf("%v ended before it was ready: %s", p.Args, strings.Join(said, "\n"))
}

// Stop tells a program to end if it still runs.
func (p *Program) Stop() error { return os.WriteFile(p.End, nil, 0o600) }

func (p *Program) await() {
	go func() {
		if err := p.Wait(); err != nil {
			p.ended <- fmt.Errorf("%v: %w", p.Args, err)
		}
		close(p.ended)
	}()
}

// Kill ends the program if it still runs.
func (p *Program) Kill() {
	p.Process.Kill()
	p.reap.Do(p.await)
	for range p.ended {
	}
}

// Truth waits for the end of the program and reads its log. Programs end by themselves or after Stop.
func (p *Program) Truth() (*truth.Log, error) {
	if err := <-p.ended; err != nil {
		return nil, err
	}
	return truth.ReadFile(p.Log)
}

// Result is the outcome of a run of hotspan.
type Result struct {
	Code   int // its exit code
	Stderr string
	Took   time.Duration
}

// Run runs hotspan to its end. An exit code other than 0 is no error.
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

// Record samples a process for d or until it ends, and reads the samples. The Result has hotspan's output. If the time
// of day is set meanwhile, nothing tells what the samples have to do with the program's log: it samples again.
func Record(hotspan, dir string, pid, rate int, d time.Duration, more ...string) ([]judge.Sample, Result, error) {
	const tries = 3
	for try := 1; ; try++ {
		end := watchClock()
		samples, r, err := recordOnce(hotspan, dir, pid, rate, d, more...)
		readings := end()
		if err != nil || len(samples) == 0 {
			return samples, r, err
		}
		ahead, ok := aheadAt(samples[0].T, readings)
		if !ok && try < tries {
			continue
		}
		if !ok {
			err = errors.New("the time of day was set each time that hotspan began to sample")
		}
		for i := range samples {
			samples[i].Clock = ahead
		}
		return samples, r, err
	}
}

func recordOnce(hotspan, dir string, pid, rate int, d time.Duration, more ...string) ([]judge.Sample, Result, error) {
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
