package agent

import (
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"

	"github.com/hotspan/hotspan/agent/internal/procs"
	"github.com/hotspan/hotspan/agent/internal/resource"
)

// Selection says which processes to profile: those of PIDs, those of Tree, and those that run V8 and meet each of the
// conditions Name, ControlGroups, Containers and Environment that is given, or All. A condition holds for a process as
// it is when hotspan meets it: when it starts, or when hotspan does.
type Selection struct {
	PIDs []int          // processes by pid
	Name *regexp.Regexp // those whose executable or command line matches and that run V8; also such that start later
	// ControlGroups are patterns for the control group of a process, or one above it, of which one must match. One that
	// begins with a slash is a path from the root, any other the end of one; between slashes * ? and [] have the
	// meaning of path.Match.
	ControlGroups []string
	// Containers are beginnings of container ids, of which one must fit.
	Containers []string
	// Environment has conditions on variables. For each variable that is named one of its conditions must hold.
	Environment []Variable
	All         bool // every process that runs V8; also such that start later
	Tree        int  // a process and its descendants that run V8; 0 = none
}

// Variable is a condition on the environment that a process was started with.
type Variable struct {
	Name string
	// Value must match the value; nil matches any. A longer one than MaxValue matches nothing else.
	Value *regexp.Regexp
}

// MaxValue is the most bytes of a variable that Variable.Value is asked for.
const MaxValue = 4 << 10

// filters reports whether there is a condition that processes of any pid may meet.
func (s *Selection) filters() bool {
	return s.Name != nil || len(s.ControlGroups)+len(s.Containers)+len(s.Environment) > 0
}

// open reports whether processes that start later may be selected.
func (s *Selection) open() bool { return s.filters() || s.All || s.Tree != 0 }

// check returns an error for a pattern that can match nothing.
func (s *Selection) check() error {
	for _, p := range s.ControlGroups {
		if err := procs.CheckGroupPattern(p); err != nil {
			return fmt.Errorf("control group %q: %w", p, err)
		}
	}
	return nil
}

// atOnce reports whether a process is selected, as far as that can be told at once. ask: if it meets the conditions.
func (s *Selection) atOnce(o *resource.Origin) (selected, ask bool) {
	switch {
	case slices.Contains(s.PIDs, o.PID):
		return true, false
	case o.PID == os.Getpid():
		return false, false
	}
	return s.All || s.Tree != 0 && procs.DescendsFrom(o.PID, s.Tree), s.filters()
}

// includes reports whether a process is selected. It may take as long as the memory of the process is waited for.
func (s *Selection) includes(o *resource.Origin) bool {
	selected, ask := s.atOnce(o)
	return selected || ask && s.meets(o)
}

// meets reports whether a process meets each of the conditions.
func (s *Selection) meets(o *resource.Origin) bool {
	return (s.Name == nil || o.Named(s.Name)) &&
		(len(s.ControlGroups) == 0 || anyOf(s.ControlGroups, o.ControlGroup(), procs.InControlGroup)) &&
		(len(s.Containers) == 0 || anyOf(s.Containers, procs.ContainerID(o.ControlGroup()), strings.HasPrefix)) &&
		(len(s.Environment) == 0 || allOf(s.Environment, o.Environment()))
}

func anyOf(conditions []string, of string, holds func(of, condition string) bool) bool {
	return slices.ContainsFunc(conditions, func(c string) bool { return holds(of, c) })
}

// allOf reports whether for each variable that is named one condition holds.
func allOf(conditions []Variable, e procs.Environment) bool {
	held := map[string]bool{}
	for _, c := range conditions {
		held[c.Name] = held[c.Name] || c.holds(e)
	}
	return !slices.Contains(slices.Collect(maps.Values(held)), false)
}

func (c *Variable) holds(e procs.Environment) bool {
	value, ok := e.Lookup(c.Name)
	return ok && (c.Value == nil || len(value) <= MaxValue && c.Value.MatchString(value))
}
