package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"syscall"
	"time"
)

// builds are test programs of packages, each built once, and the go command's cache of inputs.
type builds struct{ dir, cache string }

func newBuilds() (*builds, error) {
	cache, err := exec.Command("go", "env", "GOCACHE").Output()
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "fuzz-")
	return &builds{dir, filepath.Join(strings.TrimSpace(string(cache)), "fuzz", modulePath)}, err
}

// build compiles the tests of a package, with a flag, unless it has done so.
func (b *builds) build(pkg string, flags ...string) (program string, err error) {
	program = filepath.Join(b.dir, strings.ReplaceAll(pkg+flags[0], "/", "_"))
	if _, err := os.Stat(program); err == nil {
		return program, nil
	}
	args := append([]string{"test", "-c", "-o", program}, flags...)
	if said, err := exec.Command("go", append(args, "./"+pkg)...).CombinedOutput(); err != nil {
		return "", fmt.Errorf("compile the tests of %s: %w\n%s", pkg, err, said)
	}
	return program, nil
}

// fuzz runs a function, with one worker. That it fails is a result, not an error.
func (b *builds) fuzz(f function, d time.Duration) (result, error) {
	r := result{function: f, Go: runtime.Version()}
	program, err := b.build(f.Package, "-fuzz=.")
	if err != nil {
		return r, err
	}
	c := exec.Command(program, "-test.run=^$", "-test.fuzz=^"+f.Function+"$", "-test.fuzztime="+d.String(),
		"-test.fuzzminimizetime=1s", "-test.parallel=1", "-test.fuzzcachedir="+filepath.Join(b.cache, f.Package))
	c.Dir = f.Package
	c.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	said := &watch{command: c}
	c.Stdout, c.Stderr = said, said
	err = c.Run()
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
		return r, err
	}
	r.Executions, r.New = said.executions, said.found
	if err != nil {
		r.Failed = failure(said.text.Bytes(), f)
	}
	used := c.ProcessState
	r.Seconds = (used.UserTime() + used.SystemTime()).Round(time.Second / 10).Seconds()
	r.At = time.Now().UTC().Truncate(time.Second)
	return r, nil
}

var (
	written = regexp.MustCompile(`Failing input written to (\S+)`)
	reason  = regexp.MustCompile(`(?m)^ +(\w+\.go:\d+: .*|fuzzing process .*)$`)
)

// failure shows all that a function that failed has said, with the beginning of the input, and returns the reason in a
// line; none where only the time is over: https://go.dev/issue/75804.
func failure(said []byte, f function) string {
	m := written.FindSubmatch(said)
	if m == nil && bytes.Contains(said, []byte("\n    context deadline exceeded\n")) {
		return ""
	}
	os.Stderr.Write(said)
	if m != nil {
		input, err := os.ReadFile(filepath.Join(f.Package, string(m[1])))
		fmt.Fprintf(os.Stderr, "%s\n%.4096s\n", m[1], input)
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
		}
	}
	if m := reason.Find(said); m != nil {
		return fmt.Sprintf("%.200s", bytes.TrimSpace(m))
	}
	return "it says no reason"
}
