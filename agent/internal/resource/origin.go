package resource

import (
	"errors"
	"io/fs"
	"path/filepath"
	"regexp"

	"github.com/hotspan/hotspan/agent/internal/procs"
)

// Origin is what a process was started with and in. It is read when it is first asked for, and kept: what the process
// does to its environment later does not count. It is not safe for concurrent use.
type Origin struct {
	PID int

	groups      *string
	environment *procs.Environment
}

// ControlGroup returns the control groups of the process, a line each.
func (o *Origin) ControlGroup() string {
	if o.groups == nil {
		o.groups = new(procs.ControlGroup(o.PID))
	}
	return *o.groups
}

// Environment returns the environment of the process.
func (o *Origin) Environment() procs.Environment {
	if o.environment == nil {
		o.environment = new(procs.EnvironmentOf(o.PID))
	}
	return *o.environment
}

// Named reports whether a name matches the executable of the process, without its folder, or its command line. Only by
// this a process matches whose executable hotspan may not see, so that it is said that it cannot be read.
func (o *Origin) Named(name *regexp.Regexp) bool {
	exe, err := procs.Executable(o.PID)
	if err != nil && !errors.Is(err, fs.ErrPermission) {
		return false
	}
	return err == nil && name.MatchString(filepath.Base(exe)) || name.MatchString(procs.CommandLine(o.PID))
}
