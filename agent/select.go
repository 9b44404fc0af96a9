package agent

import (
	"os"
	"path/filepath"
	"regexp"

	"github.com/hotspan/hotspan/agent/internal/procs"
)

// Selection says which processes to profile: those for which at least one condition holds.
type Selection struct {
	PIDs []int          // processes by pid
	Name *regexp.Regexp // those whose executable or command line matches and that run V8; also such that start later
	All  bool           // every process that runs V8; also such that start later
	Tree int            // a process and its descendants that run V8; 0 = none
}

// open reports whether processes that start later may be selected.
func (s *Selection) open() bool { return s.Name != nil || s.All || s.Tree != 0 }

// matches reports whether a process that was not named by pid is selected.
func (s *Selection) matches(pid int) bool {
	if pid == os.Getpid() {
		return false
	}
	switch {
	case s.All:
		return true
	case s.Tree != 0 && procs.DescendsFrom(pid, s.Tree):
		return true
	case s.Name != nil:
		exe, err := procs.Executable(pid)
		return err == nil && (s.Name.MatchString(filepath.Base(exe)) || s.Name.MatchString(procs.CommandLine(pid)))
	}
	return false
}
