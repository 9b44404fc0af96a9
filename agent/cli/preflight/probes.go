package preflight

import (
	"errors"
	"fmt"
	"io"
	"io/fs"

	"github.com/hotspan/hotspan/agent/cli/exit"
	"github.com/hotspan/hotspan/agent/cli/terminal"
	"github.com/hotspan/hotspan/agent/internal/probe"
	"github.com/hotspan/hotspan/agent/internal/process"
)

// Probes is the verb that lists what probes can be put on.
type Probes struct {
	PID     int    `short:"p" required:"" help:"Process whose files are read." placeholder:"PID"`
	Most    int    `short:"n" default:"1000" help:"How many to print, at most (${default})." placeholder:"N"`
	JSON    bool   `name:"json" help:"Print all of them as JSON."`
	Pattern string `arg:"" optional:"" help:"Part of a name, or a whole one in which * stands for any characters."`
}

// Run prints what probes can be put on in a process, as record --probe takes it.
func (v *Probes) Run(stdout io.Writer, c terminal.Console) error {
	if v.Most < 1 {
		return exit.Usagef("-n %d: at least 1", v.Most)
	}
	all, err := probe.List(v.PID, v.Pattern)
	switch {
	case errors.Is(err, fs.ErrNotExist) && len(all) == 0:
		return process.Gone(v.PID)
	case err != nil:
		if len(all) == 0 {
			return exit.Explain(err)
		}
		c.Logger(false).Warn("not all files are read", "why", err)
	}
	if v.JSON {
		return terminal.PrintJSON(stdout, append([]probe.Listed{}, all...))
	}
	if len(all) == 0 {
		return fmt.Errorf("process %d: no probe has %q in its name; functions of JavaScript have none",
			v.PID, v.Pattern)
	}
	w := &terminal.Sheet{Writer: stdout}
	for _, p := range all[:min(v.Most, len(all))] {
		w.Printf("%s", terminal.Printable(p.Probe))
		if p.Name != "" {
			w.Printf("  %s", terminal.Printable(p.Name))
		}
		w.Printf("\n")
	}
	if left := len(all) - v.Most; left > 0 {
		w.Printf("… and %d more: -n prints them, a pattern chooses\n", left)
	}
	return w.Err
}
