// Command stress runs each test of packages again and again, some at a time, while another process uses a CPU: a test
// whose outcome depends on how fast the machine is fails at times. Those that have run least come first, so that it
// goes on where its results end.
//
//	go run ./test/stress -for 25m ./test/e2e ./agent/internal/dump
//
// Each run has a draw of its own (package draw), and so other Nodes than the one before.
//
// The results are in results.jsonl, a line for each test, and for each commit at which it failed; figures of
// docs/safety.md are made of them. A test that takes less than a tenth of a second depends on no time, and runs once.
// It prints which tests have failed, with what they said, and how long it would take until all have run as often as
// they should.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"

	"github.com/hotspan/hotspan/test/built"
	"github.com/hotspan/hotspan/test/npm"
)

func main() {
	var o options
	flag.IntVar(&o.rounds, "rounds", 50, "how often each test is to run, at all commits together")
	flag.IntVar(&o.atOnce, "p", 3, "`number` of tests that run at a time")
	flag.StringVar(&o.only, "run", ".", "only tests that match this `regexp`")
	limit := flag.Duration("for", 25*time.Minute, "begin no test after this `time`")
	anew := flag.Bool("write", false, "only write the figures of the document anew")
	flag.Parse()
	o.end = time.Now().Add(*limit)
	do := func() error { return stress(flag.Args(), o) }
	if *anew {
		do = writeAnew
	}
	if err := do(); err != nil {
		fmt.Fprintln(os.Stderr, "stress:", err)
		os.Exit(1)
	}
}

func writeAnew() error {
	all, err := readResults()
	if err != nil {
		return err
	}
	return write(all)
}

func stress(paths []string, o options) error {
	commit, err := revision()
	if err != nil {
		return err
	}
	all, err := readResults()
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "stress-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if err := once(dir); err != nil {
		return err
	}
	tests, err := build(dir, paths, o.only)
	if err != nil {
		return err
	}
	burner := exec.Command("/bin/sh", "-c", "while :; do :; done")
	burner.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if err := burner.Start(); err != nil {
		return err
	}
	defer func() { _ = burner.Process.Kill(); _ = burner.Wait() }()
	s := schedule{tests: tests, results: all, commit: commit, options: o}
	s.run()
	tell(s.tests, s.results, o.rounds)
	return errors.Join(s.failed...)
}

// once builds what many tests run, so that each does not build it again.
func once(dir string) error {
	hotspan, err := built.Hotspan(dir, ".")
	if err != nil {
		return err
	}
	app, err := npm.App(".")
	if err != nil {
		return err
	}
	return errors.Join(os.Setenv(built.Variable, hotspan), os.Setenv(npm.Variable, app))
}

// revision is the commit that is checked out, with + if files differ from it but those that this command writes.
func revision() (string, error) {
	commit, err := exec.Command("git", "rev-parse", "--short=12", "HEAD").Output()
	if err != nil {
		return "", fmt.Errorf("commit: %w", err)
	}
	status := exec.Command("git", "status", "--porcelain", "--", ".", ":!"+resultsFile, ":!"+documentFile)
	changed, err := status.Output()
	if len(changed) > 0 {
		return strings.TrimSpace(string(commit)) + "+", err
	}
	return strings.TrimSpace(string(commit)), err
}

// tell prints how often tests have run, and how long the runs that are missing would take.
func tell(tests []test, all []result, rounds int) {
	runs, missing, unknown, seconds := 0, 0, 0, 0.0
	for _, t := range tests {
		s := sum(all, t)
		runs += s.runs
		if s.runs == 0 {
			unknown++
			continue
		}
		more := max(0, s.wanted(rounds)-s.runs)
		missing += more
		seconds += float64(more) * s.seconds / float64(s.runs)
	}
	fmt.Printf("%d tests have run %d times; until each has run %d times %d runs are missing, which take %.1f hours, "+
		"and those of %d tests that have not run\n", len(tests)-unknown, runs, rounds, missing, seconds/3600, unknown)
}
