package resource

import "github.com/hotspan/hotspan/agent/internal/procs"

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
