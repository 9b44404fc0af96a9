// Command gotest runs go test in modules, and fails where a test was skipped that test/skips.txt does not list, unless
// it was not drawn (package draw):
//
//	go run ./test/repo/gotest . otlp/receiver test/collector
//
// It prints the line of each package as go test does, what a failed test said, and at the end which tests took longest
// and what there was in all. -with, -without and -run choose packages and tests, of which -p run side by side.
package main

import (
	"bufio"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"time"
)

func main() {
	timeout := flag.Duration("timeout", 40*time.Minute, "for the tests of one package")
	list := flag.String("skips", "test/skips.txt", "`file` that lists the tests that may be skipped")
	var c chosen
	flag.StringVar(&c.with, "with", "", "only packages whose import path matches this `regexp`")
	flag.StringVar(&c.without, "without", "^$", "no packages whose import path matches this `regexp`")
	flag.StringVar(&c.tests, "run", "", "only tests that match, as go test has it")
	flag.IntVar(&c.packagesAtOnce, "p", 1, "`number` of packages whose tests run at a time")
	flag.IntVar(&c.testsAtOnce, "parallel", 2, "`number` of parallel tests of a package that run at a time")
	flag.Parse()
	ok, err := run(flag.Args(), c, *timeout, *list)
	if err != nil {
		fmt.Fprintln(os.Stderr, "gotest:", err)
	}
	if err != nil || !ok {
		os.Exit(1)
	}
}

// chosen says what is run.
type chosen struct {
	with, without, tests string
	packagesAtOnce       int
	testsAtOnce          int
}

// packages lists the packages of a module that are run.
func (c chosen) packages(module string) (out []string, err error) {
	with, err := regexp.Compile(c.with)
	if err != nil {
		return nil, err
	}
	without, err := regexp.Compile(c.without)
	if err != nil {
		return nil, err
	}
	list := exec.Command("go", "list", "-C", module, "./...")
	list.Stderr = os.Stderr
	all, err := list.Output()
	for _, p := range strings.Fields(string(all)) {
		if with.MatchString(p) && !without.MatchString(p) {
			out = append(out, p)
		}
	}
	return out, err
}

func run(modules []string, c chosen, timeout time.Duration, list string) (bool, error) {
	f, err := os.Open(list)
	if err != nil {
		return false, err
	}
	defer f.Close()
	allowed, err := readSkips(f)
	if err != nil {
		return false, fmt.Errorf("%s: %w", list, err)
	}
	r := newReport(os.Stdout, allowed)
	for _, m := range modules {
		if err := test(m, c, timeout, r); err != nil {
			return false, err
		}
	}
	return r.end(), nil
}

// test runs the tests of a module. Many measure what processes do, so how many run at a time does not depend on the
// machine. That tests have failed is for the report to say, not an error.
func test(module string, c chosen, timeout time.Duration, r *report) error {
	packages, err := c.packages(module)
	if err != nil || len(packages) == 0 {
		return err
	}
	args := []string{"test", "-C", module, "-json", "-count=1", "-p=" + strconv.Itoa(c.packagesAtOnce),
		"-parallel=" + strconv.Itoa(c.testsAtOnce), "-timeout=" + timeout.String(), "-run=" + c.tests}
	cmd := exec.Command("go", append(args, packages...)...)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	if err := read(out, r); err != nil {
		return fmt.Errorf("go test in %s: %w", module, err)
	}
	if err := cmd.Wait(); err != nil {
		r.failed(fmt.Sprintf("go test in %s: %v", module, err))
	}
	return nil
}

// maxEvent bounds one line of go test -json, in bytes.
const maxEvent = 16 << 20

// read takes the events of go test -json to their end. Other lines, such as messages of the go command, are shown.
func read(from io.Reader, r *report) error {
	lines := bufio.NewScanner(from)
	lines.Buffer(nil, maxEvent)
	for lines.Scan() {
		var e event
		if json.Unmarshal(lines.Bytes(), &e) != nil || e.Action == "" {
			fmt.Fprintln(r.out, lines.Text())
			continue
		}
		r.take(e)
	}
	return lines.Err()
}
