package agent

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"

	"github.com/hotspan/hotspan/agent/internal/procs"
)

// Selection says which processes to profile. Conditions add up.
type Selection struct {
	PIDs []int          // these
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

// ErrNoProcess says that there is nothing to profile.
var ErrNoProcess = errors.New("no Node.js process to profile")

// attachSelected attaches to all that is selected now.
func (a *Agent) attachSelected() error {
	s := &a.config.Select
	for _, pid := range s.PIDs {
		if err := a.attach(pid); err != nil {
			return err
		}
	}
	if s.Name != nil || s.All {
		if err := a.attachMatching(); err != nil {
			return err
		}
	}
	if len(a.targets) == 0 && s.Tree == 0 {
		return fmt.Errorf("%w: none is running that was asked for; hotspan doctor lists those that are", ErrNoProcess)
	}
	return nil
}

func (a *Agent) attachMatching() error {
	pids, err := procs.All()
	if err != nil {
		return err
	}
	hidden := 0
	for _, pid := range pids {
		if slices.Contains(a.config.Select.PIDs, pid) || !a.config.Select.matches(pid) {
			continue
		}
		err := a.attach(pid)
		switch {
		case errors.Is(err, fs.ErrPermission):
			hidden++
		case err != nil && !isNoTarget(err):
			a.log.Warn("process is not profiled", "pid", pid, "why", err)
		}
	}
	if hidden > 0 {
		a.log.Warn("processes may not be looked at: run hotspan as root, or give it CAP_SYS_PTRACE", "processes", hidden)
	}
	return nil
}
