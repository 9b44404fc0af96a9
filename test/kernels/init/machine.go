package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/hotspan/hotspan/test/built"
	"github.com/hotspan/hotspan/test/kernels/outcome"
)

// ofMachine are the tests of test/e2e that change the whole machine, which here is nobody else's.
var ofMachine = []string{"TestTimerThrottled", "TestCPUComesOnline"}

// machine runs them. One that is skipped fails.
func machine(o *outcome.Outcome) error {
	if err := provide(); err != nil {
		return err
	}
	c := exec.Command(filepath.Join(tests, "tests"), "-test.v", "-test.run", "^("+strings.Join(ofMachine, "|")+")$")
	c.Dir, c.Env = tests, append(os.Environ(), "OWN_MACHINE=1", built.Variable+"="+hotspan)
	said, err := c.CombinedOutput()
	o.Said = string(said)
	for _, name := range ofMachine {
		if err != nil || !strings.Contains(o.Said, "--- PASS: "+name+" ") {
			return fmt.Errorf("%s: %w: %s", name, err, said)
		}
	}
	return nil
}

// provide puts Node.js where tests look for its version.
func provide() error {
	version, err := exec.Command(node, "--version").Output()
	if err != nil {
		return fmt.Errorf("node --version: %w", err)
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return err
	}
	bin := filepath.Join(cache, "hotspan/node", strings.TrimSpace(string(version[1:])), "bin")
	return errors.Join(os.MkdirAll(bin, 0o755), os.Symlink(node, filepath.Join(bin, "node")))
}
