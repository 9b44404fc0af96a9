// Command stress runs each test of packages again and again, one at a time, while another process uses a CPU: a test
// whose outcome depends on how fast the machine is fails at times. It goes on where its results end, if the commit is
// the same.
//
//	go run ./test/stress -for 25m ./test/e2e ./agent/internal/dump
//
// The results are a line of JSON for each run. It prints which tests have failed, with what they said, and how often.
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
)

func main() {
	rounds := flag.Int("rounds", 50, "how often each test is to run, with the runs that have results")
	limit := flag.Duration("for", 25*time.Minute, "begin no test after this `time`")
	file := flag.String("results", "bin/stress.jsonl", "`file` with the results")
	only := flag.String("run", ".", "only tests that match this `regexp`")
	flag.Parse()
	if err := run(flag.Args(), *only, *file, *rounds, time.Now().Add(*limit)); err != nil {
		fmt.Fprintln(os.Stderr, "stress:", err)
		os.Exit(1)
	}
}

func run(paths []string, only, file string, rounds int, end time.Time) error {
	commit, err := exec.Command("git", "rev-parse", "HEAD").Output()
	if err != nil {
		return fmt.Errorf("commit: %w", err)
	}
	r, err := openResults(file, strings.TrimSpace(string(commit)))
	if err != nil {
		return err
	}
	defer r.file.Close()
	dir, err := os.MkdirTemp("", "stress-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	tests, err := build(dir, paths, only)
	if err != nil {
		return err
	}
	burner := exec.Command("/bin/sh", "-c", "while :; do :; done")
	burner.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if err := burner.Start(); err != nil {
		return err
	}
	defer func() { _ = burner.Process.Kill(); _ = burner.Wait() }()
	for round := range rounds {
		for _, t := range tests {
			if r.runs(t) > round || time.Now().After(end) {
				continue
			}
			if err := r.add(t, t.run()); err != nil {
				return err
			}
		}
	}
	return r.summary(tests, rounds)
}

// summary prints how often tests have run. The error says that some have failed.
func (r *results) summary(tests []test, rounds int) error {
	all, failed, least := 0, 0, rounds
	for _, t := range tests {
		n, bad := r.runs(t), r.failures(t)
		all, failed, least = all+n, failed+bad, min(least, n)
		if bad > 0 {
			fmt.Printf("%s: %d of %d runs failed\n", t, bad, n)
		}
	}
	fmt.Printf("%d runs of %d tests, each at least %d of %d times, %d failures\n", all, len(tests), least, rounds,
		failed)
	if failed > 0 {
		return errors.New("tests have failed")
	}
	return nil
}
