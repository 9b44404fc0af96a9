package main

import (
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"github.com/hotspan/hotspan/test/draw"
)

// test is a test of a package, whose folder is relative to the module's, with its program.
type test struct{ name, path, program string }

func (t test) String() string { return t.path + " " + t.name }

// build compiles the tests of packages into a folder, and lists those that match.
func build(dir string, paths []string, only string) (out []test, err error) {
	for i, folder := range paths {
		program := filepath.Join(dir, fmt.Sprint(i))
		compile := exec.Command("go", "test", "-c", "-o", program, folder)
		compile.Stderr = os.Stderr
		if err := compile.Run(); err != nil {
			return nil, fmt.Errorf("compile the tests of %s: %w", folder, err)
		}
		list := exec.Command(program, "-test.list", only)
		list.Dir = folder
		names, err := list.Output()
		if err != nil {
			return nil, fmt.Errorf("list the tests of %s: %w", folder, err)
		}
		for name := range strings.FieldsSeq(string(names)) {
			if strings.HasPrefix(name, "Test") {
				out = append(out, test{name, path.Clean(folder), program})
			}
		}
	}
	return out, nil
}

// run is how one run of a test has ended.
type run struct {
	seconds          float64
	skipped, undrawn bool // undrawn: by its draw, so that another may run it
	failed           bool
	said             string
}

// run runs a test once, with what a text draws of it.
func (t test) run(text string) run {
	c := exec.Command(t.program, "-test.run", "^"+t.name+"$", "-test.v", "-test.timeout", "15m")
	c.Dir = t.path
	c.Env = append(os.Environ(), "DRAW="+text)
	said, err := c.CombinedOutput()
	return judge(t.name, string(said), err)
}

// ended is a line in which a test, or one within it, says how it has ended.
var ended = regexp.MustCompile(`(?m)^ *--- (PASS|SKIP|FAIL): (\S+) \(([\d.]+)s\)$`)

// judge reads what a test says of itself. One that does not come to its end has failed. It has taken as long as the
// longest within it: where these are parallel, the time of the whole leaves them out.
func judge(name, said string, err error) run {
	r := run{failed: true}
	for _, m := range ended.FindAllStringSubmatch(said, -1) {
		if m[2] == name {
			r.skipped, r.failed = m[1] == "SKIP", m[1] == "FAIL" || err != nil
			r.undrawn = r.skipped && strings.Contains(said, draw.Reason)
		}
		seconds, _ := strconv.ParseFloat(m[3], 64)
		r.seconds = max(r.seconds, seconds)
	}
	if r.failed {
		r.said = fmt.Sprintf("%v\n%s", err, said)
	}
	return r
}
