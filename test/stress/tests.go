package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// test is a test of a package, with its program.
type test struct{ name, path, program string }

func (t test) String() string { return t.path + " " + t.name }

// build compiles the tests of packages into a folder, and lists those that match.
func build(dir string, paths []string, only string) (out []test, err error) {
	for i, path := range paths {
		program := filepath.Join(dir, fmt.Sprint(i))
		compile := exec.Command("go", "test", "-c", "-o", program, path)
		compile.Stderr = os.Stderr
		if err := compile.Run(); err != nil {
			return nil, fmt.Errorf("compile the tests of %s: %w", path, err)
		}
		list := exec.Command(program, "-test.list", only)
		list.Dir = path
		names, err := list.Output()
		if err != nil {
			return nil, fmt.Errorf("list the tests of %s: %w", path, err)
		}
		for name := range strings.FieldsSeq(string(names)) {
			if strings.HasPrefix(name, "Test") {
				out = append(out, test{name, path, program})
			}
		}
	}
	return out, nil
}

// run runs a test once, and returns the error and what it said if it fails.
func (t test) run() error {
	c := exec.Command(t.program, "-test.run", "^"+t.name+"$", "-test.timeout", "15m")
	c.Dir = t.path
	if said, err := c.CombinedOutput(); err != nil {
		return fmt.Errorf("%w\n%s", err, said)
	}
	return nil
}
