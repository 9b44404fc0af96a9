package preflight

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hotspan/hotspan/agent/cli/terminal"
	"github.com/hotspan/hotspan/agent/internal/doctor"
)

// findings prints a section. A command that fixes what is missing follows the line, or the last of several lines with
// the same command.
func (w *sheet) findings(title string, list []doctor.Finding) {
	w.Printf("%s\n", title)
	for i, f := range list {
		w.Printf("  %-7s  %-14s  %s\n", f.Mark, f.What, f.Found)
		if f.Fix != "" && (i+1 == len(list) || list[i+1].Fix != f.Fix) {
			w.Printf("%27s$ %s\n", "", f.Fix)
		}
	}
}

func (w *sheet) processes(found *doctor.Diagnosis) {
	w.Printf("processes\n")
	switch {
	case found.Unseen:
		w.Printf("  %-7s  processes of other users: /proc does not show them (hidepid)\n", "hidden")
	case len(found.Processes) == 0:
		w.Printf("  %-7s  no Node.js process is running\n", "none")
	}
	for i := range found.Processes {
		w.process(&found.Processes[i])
	}
	if found.Hidden > 0 {
		w.Printf("  %-7s  processes that may not be looked at: %d\n", "hidden", found.Hidden)
	}
}

// commandLine returns a command line to recognize a process by. The executable has no folder. A title, as "npm exec
// tsx src/server.ts", is a single argument. What is too long lacks its middle: scripts stand at either end.
func commandLine(args []string) string {
	if len(args) == 0 {
		return ""
	}
	name := args[0]
	if filepath.IsAbs(name) || !strings.Contains(name, " ") {
		name = filepath.Base(name)
	}
	text := []rune(terminal.Printable(strings.Join(append([]string{name}, args[1:]...), " ")))
	if over := len(text) - terminal.LongestCommand; over > 0 {
		half := terminal.LongestCommand / 2
		text = slices.Replace(text, half, half+over+1, '…')
	}
	return string(text)
}

func (w *sheet) process(p *doctor.NodeProcess) {
	w.Printf("  %-7d  %s\n", p.PID, commandLine(p.CommandLine))
	if p.Denied != nil {
		w.Line("hidden", "%v", p.Denied)
		return
	}
	w.Line("runs", "Node.js %s, V8 %s, %s", terminal.NodeVersion(p.Node), p.V8, terminal.Printable(p.Executable))
	if p.Cannot != nil {
		w.Line("CANNOT", "be sampled: %v", p.Cannot)
	}
	w.layout(p)
	w.checked(p)
	w.context(p)
	if p.Detail != nil {
		w.detail(p)
	}
}

func (w *sheet) layout(p *doctor.NodeProcess) {
	s := p.Layout
	text := fmt.Sprintf("%d fields: %d from machine code, %d from constants, %d by rule for this V8",
		s.Known(), s.Code, s.Constants, s.Rules)
	if s.Gaps > 0 && p.Detail == nil {
		text += fmt.Sprintf("; with %d gaps: hotspan doctor -p %d", s.Gaps, p.PID)
	}
	w.Line("layout", "%s", text)
}

// checked prints how much of the layout was compared with the process, and how much is assumed.
func (w *sheet) checked(p *doctor.NodeProcess) {
	if p.Check.None != "" {
		w.Line("verified", "nothing: %s", p.Check.None)
		return
	}
	known, right := p.Layout.Known(), len(p.Check.Fields)
	assumed := len(p.Layout.Assumed)
	w.Line("verified", "%d of them in the running process; of the others %d are told by the binary, %d are assumed",
		right, known-right-assumed, assumed)
	for _, wrong := range p.Check.Wrong {
		w.Line("WRONG", "%s", terminal.Printable(wrong))
	}
}

func (w *sheet) context(p *doctor.NodeProcess) {
	where := "the resources of async_hooks"
	if p.Stores.InFrame {
		where = "V8's AsyncContextFrame"
	}
	w.Line("AsyncContext", "in %s: %s", where, p.Stores.Why)
	w.Line("labels", "trace_id and span_id of OpenTelemetry, dd-trace and Sentry; http.route of OpenTelemetry; "+
		"of any other store: --label NAME=PATH")
}

func (w *sheet) next(found *doctor.Diagnosis) {
	if len(found.Lacking()) > 0 {
		return
	}
	for _, p := range found.Processes {
		if p.Denied != nil || p.Cannot != nil {
			continue
		}
		labels := ""
		if p.Detail != nil {
			for _, l := range p.Detail.Labels {
				labels += " --label " + l
			}
		}
		w.Printf("next\n  hotspan record -p %d -d 10s%s\n", p.PID, labels)
		return
	}
}
