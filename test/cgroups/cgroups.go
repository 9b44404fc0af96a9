// Package cgroups makes control groups for tests.
package cgroups

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// Limit is what a group limits: the file of version 2 and its text, and those of a controller of version 1.
type Limit struct{ V2, Text2, Controller, V1, Text1 string }

// ErrNone says that no group with a limit can be made here.
var ErrNone = errors.New("no control group with such a limit can be made here")

// New makes a group with a limit, of version 2 or else 1, and returns its folder. The caller removes it.
func New(name string, l Limit) (string, error) {
	mounts, err := os.ReadFile("/proc/mounts")
	if err != nil {
		return "", err
	}
	for _, c := range []struct{ kind, option, file, text string }{
		{"cgroup2", "", l.V2, l.Text2}, {"cgroup", l.Controller, l.V1, l.Text1},
	} {
		for line := range strings.Lines(string(mounts)) {
			fields := strings.Fields(line)
			if fields[2] != c.kind || !strings.Contains(","+fields[3]+",", c.option+",") {
				continue
			}
			dir := filepath.Join(fields[1], fmt.Sprintf("%s-%d", name, os.Getpid()))
			if os.Mkdir(dir, 0o755) != nil {
				continue
			}
			if os.WriteFile(filepath.Join(dir, c.file), []byte(c.text), 0o644) == nil {
				return dir, nil
			}
			os.Remove(dir)
		}
	}
	return "", ErrNone
}
