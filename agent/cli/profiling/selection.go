package profiling

import (
	"path"
	"regexp"
	"strings"

	"github.com/hotspan/hotspan/agent"
	"github.com/hotspan/hotspan/agent/cli/exit"
)

// SelectionFlags are the flags that choose processes by what they were started with and in.
type SelectionFlags struct {
	Name      []string `help:"${name}" placeholder:"REGEX" sep:"none"`
	CGroup    []string `name:"cgroup" help:"${cgroup}" placeholder:"PATH" sep:"none"`
	Container []string `help:"${container}" placeholder:"ID" sep:"none"`
	Env       []string `help:"${variable}" placeholder:"NAME[=REGEX]" sep:"none"`
}

// Given reports whether any of the flags is.
func (f *SelectionFlags) Given() bool {
	return len(f.Name)+len(f.CGroup)+len(f.Container)+len(f.Env) > 0
}

// beginningOfID is what a container's id may begin with: see ContainerID of agent/internal/procs.
var beginningOfID = regexp.MustCompile(`^[0-9a-f]{1,64}(-[0-9]*)?$`)

// Selection returns what the flags choose.
func (f *SelectionFlags) Selection() (s agent.Selection, err error) {
	var names []string
	for _, n := range f.Name {
		if _, err := regexp.Compile(n); err != nil {
			return s, exit.Usagef("--name: %v", err)
		}
		names = append(names, "(?:"+n+")")
	}
	if len(names) > 0 {
		s.Name = regexp.MustCompile(strings.Join(names, "|"))
	}
	for _, g := range f.CGroup {
		if _, err := path.Match(g, ""); err != nil || strings.Trim(g, "/") == "" {
			return s, exit.Usagef("--cgroup %q: want a path, or the end of one, such as docker-*.scope", g)
		}
	}
	for _, id := range f.Container {
		if !beginningOfID.MatchString(id) {
			return s, exit.Usagef("--container %q: want the beginning of an id, hexadecimal digits", id)
		}
	}
	s.ControlGroups, s.Containers = f.CGroup, f.Container
	for _, e := range f.Env {
		v, err := parseVariable(e)
		if err != nil {
			return s, err
		}
		s.Environment = append(s.Environment, v)
	}
	return s, nil
}

// parseVariable parses NAME, or NAME=REGEX, which the whole value must match.
func parseVariable(text string) (v agent.Variable, err error) {
	name, value, has := strings.Cut(text, "=")
	if name == "" {
		return v, exit.Usagef("--env %q: want NAME or NAME=REGEX", text)
	}
	v.Name = name
	if !has {
		return v, nil
	}
	if _, err := regexp.Compile(value); err != nil {
		return v, exit.Usagef("--env %s: %v", name, err)
	}
	v.Value = regexp.MustCompile(`\A(?:` + value + `)\z`)
	return v, nil
}
