// Command gotest runs go test in modules, one package after the other, and fails where a test was skipped that
// test/skips.txt does not list:
//
//	go run ./test/repo/gotest . test/collector
//
// It prints the line of each package as go test does, what a failed test said, and at the end what there was in all.
package main

import (
	"bufio"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"time"
)

func main() {
	timeout := flag.Duration("timeout", 40*time.Minute, "for the tests of one package")
	list := flag.String("skips", "test/skips.txt", "`file` that lists the tests that may be skipped")
	flag.Parse()
	ok, err := run(flag.Args(), *timeout, *list)
	if err != nil {
		fmt.Fprintln(os.Stderr, "gotest:", err)
	}
	if err != nil || !ok {
		os.Exit(1)
	}
}

func run(modules []string, timeout time.Duration, list string) (bool, error) {
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
		if err := test(m, timeout, r); err != nil {
			return false, err
		}
	}
	return r.end(), nil
}

// test runs the tests of a module. The tests measure what processes do, so that packages do not run side by side. That
// tests have failed is for the report to say, not an error.
func test(module string, timeout time.Duration, r *report) error {
	cmd := exec.Command("go", "test", "-C", module, "-json", "-count=1", "-p=1", "-timeout="+timeout.String(), "./...")
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
