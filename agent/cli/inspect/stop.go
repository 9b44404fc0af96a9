package inspect

import (
	"fmt"
	"time"

	"github.com/hotspan/hotspan/agent/cli/terminal"
	"github.com/hotspan/hotspan/agent/internal/pause"
	"github.com/hotspan/hotspan/agent/internal/procs"
)

type stopFlags struct {
	Stop time.Duration `help:"${stop}" placeholder:"TIME"`
}

// longestStop is how long a process may be stopped at most.
const longestStop = 10 * time.Minute

// checkStop says what is wrong with the flag. pid is 0 for a core.
func (v *stopFlags) checkStop(pid int) error {
	switch {
	case v.Stop < 0 || v.Stop > longestStop:
		return fmt.Errorf("--stop %v: more than 0, and %v at most", v.Stop, longestStop)
	case v.Stop > 0 && pid == 0:
		return fmt.Errorf("--stop %v is for a process, with -p PID: a core does not change", v.Stop)
	}
	return nil
}

// stopped calls read while a process is stopped, if that was asked for, with the time at which it was stopped. It says
// so before and afterwards.
func (v *stopFlags) stopped(c terminal.Console, pid int, read func(at time.Time) error) error {
	if v.Stop == 0 {
		return read(time.Time{})
	}
	log := c.Logger(false)
	log.Info(fmt.Sprintf("process %d will be stopped for %v at most", pid, v.Stop))
	began := time.Now()
	p, err := pause.Stop(pid, v.Stop)
	if err != nil {
		return err
	}
	err = read(time.Now())
	if p.Resume() {
		log.Warn(fmt.Sprintf("process %d was stopped for %v, and went on before all of this was read", pid, v.Stop))
	} else {
		log.Info(fmt.Sprintf("process %d was stopped for %v", pid, terminal.ThreeDigits(time.Since(began))))
	}
	return err
}

// noteRan says, when what it returns is called, that a process has run since, if it has. pid is 0 for a core.
func noteRan(c terminal.Console, pid int) func() {
	before, ran := procs.Activity(pid)
	return func() {
		after, runs := procs.Activity(pid)
		if pid != 0 && (ran || runs || after != before) {
			c.Logger(false).Warn(fmt.Sprintf("process %d ran while it was read: a part may be older than another one; "+
				"--stop TIME reads it while it stands still", pid))
		}
	}
}
