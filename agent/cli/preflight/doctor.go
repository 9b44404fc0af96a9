// Package preflight has the verbs that say what can be profiled, before anything is: doctor of the machine and its
// processes, contexts of the stores of requests, probes and layout.
package preflight

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/hotspan/hotspan/agent/internal/doctor"

	"github.com/hotspan/hotspan/agent"
	"github.com/hotspan/hotspan/agent/cli/terminal"
)

// Doctor is the verb that says what can be profiled on this machine, and what is missing.
type Doctor struct {
	PID  *int `short:"p" help:"Show details of this process." placeholder:"PID"`
	JSON bool `name:"json" help:"Print a summary for scripts, as JSON."`
}

// Run prints what is found. It is an error if sampling is impossible.
func (d *Doctor) Run(stdout io.Writer, _ terminal.Console) error {
	pid := 0
	if d.PID != nil {
		if pid = *d.PID; pid <= 0 {
			return fmt.Errorf("process %d: %w", pid, agent.ErrGone)
		}
	}
	found, err := doctor.Diagnose(pid)
	if err != nil {
		return err
	}
	if d.JSON {
		return errors.Join(terminal.PrintJSON(stdout, diagnosisOf(found)), verdict(found, pid))
	}
	w := &sheet{terminal.Sheet{Writer: stdout}}
	w.findings("machine", found.Machine)
	w.findings("permissions of "+user(), found.Permissions)
	w.processes(found)
	w.next(found)
	if w.Err != nil {
		return w.Err
	}
	return verdict(found, pid)
}

// verdict returns an error if sampling is impossible, on this machine or of the process with the given pid.
func verdict(found *doctor.Diagnosis, pid int) error {
	if lacking := found.Lacking(); len(lacking) > 0 {
		return fmt.Errorf("sampling is not possible here: see %s above", enumerate(lacking))
	}
	if pid == 0 {
		return nil
	}
	p := &found.Processes[0]
	if p.Denied != nil {
		return fmt.Errorf("process %d: %w", pid, p.Denied)
	}
	if p.Cannot != nil {
		return fmt.Errorf("process %d cannot be sampled: %w", pid, p.Cannot)
	}
	return nil
}

func user() string {
	if os.Geteuid() == 0 {
		return "root"
	}
	return fmt.Sprintf("user %d", os.Geteuid())
}

// enumerate joins a list as in a sentence: a, b and c.
func enumerate(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	last := len(words) - 1
	return strings.Join(words[:last], ", ") + " and " + words[last]
}
