package preflight

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/hotspan/hotspan/agent/internal/inspect"

	"github.com/hotspan/hotspan/agent"
	"github.com/hotspan/hotspan/agent/cli/exit"
	"github.com/hotspan/hotspan/agent/cli/profiling"
	"github.com/hotspan/hotspan/agent/cli/terminal"
	reqctx "github.com/hotspan/hotspan/context"
)

// Contexts is the verb that shows the stores of requests in a process, and the labels that they can give.
type Contexts struct {
	PID      int           `short:"p" required:"" help:"Process to inspect." placeholder:"PID"`
	Duration time.Duration `short:"d" default:"2s" help:"How long to watch it (${default})." placeholder:"TIME"`
	profiling.RuleFlags
	JSON bool `name:"json" help:"Print all of it as JSON."`
}

// Run watches the process for a while, and prints what it had.
func (c *Contexts) Run(stdout io.Writer, _ terminal.Console) error {
	if c.PID <= 0 {
		return fmt.Errorf("process %d: %w", c.PID, agent.ErrGone)
	}
	if c.Duration <= 0 {
		return exit.Usagef("-d %v: more than 0", c.Duration)
	}
	own, err := c.LabelRules()
	if err != nil {
		return err
	}
	found, err := inspect.FindContexts(c.PID, reqctx.AllKinds.Rules(own), c.Duration)
	if err != nil {
		return exit.Explain(err)
	}
	if c.JSON {
		return terminal.PrintJSON(stdout, found)
	}
	w := &sheet{terminal.Sheet{Writer: stdout}}
	w.contexts(found)
	return w.Err
}

func (w *sheet) contexts(c *inspect.Contexts) {
	command := terminal.Shorten(terminal.Printable(strings.Join(c.CommandLine, " ")), 60)
	w.Printf("process %d: %s, Node.js %s\n", c.PID, command, terminal.NodeVersion(c.Node))
	var offers, sentry []string // Sentry's route may be a path: what another store has for a route comes first
	current := 0
	for _, t := range c.Threads {
		current += t.Current
		w.Printf("\nthread %d %s: looked at %d times, in a request %d times\n",
			t.TID, terminal.Printable(t.Name), t.Looks, t.Current)
		for i := range t.Stores {
			to := &offers
			if t.Stores[i].Sentry {
				to = &sentry
			}
			*to = append(*to, w.seenStore(&t.Stores[i], c.Location.FixHandles(c.Node))...)
		}
		if t.Others > 0 {
			w.Printf("  … and other stores, seen %d times\n", t.Others)
		}
	}
	if offers = eachLabelOnce(append(offers, sentry...)); len(offers) > 0 {
		w.Printf("\nnext\n  hotspan record -p %d -d 10s", c.PID)
		for _, o := range offers {
			w.Printf(" --label %s", o)
		}
		w.Printf("\n")
	} else if current == 0 {
		w.Printf("\nNo store was current: try again under load, or for longer: -d 10s\n")
	}
}

// eachLabelOnce returns the first rule of each label.
func eachLabelOnce(rules []string) []string {
	var out []string
	seen := map[string]bool{}
	for _, r := range rules {
		label, _, _ := strings.Cut(strings.TrimPrefix(r, "'"), "=")
		if !seen[label] {
			seen[label] = true
			out = append(out, r)
		}
	}
	return out
}

// seenStore prints one kind of store and returns the rules that give labels from it. fix says what makes a store
// behind a handle readable.
func (w *sheet) seenStore(s *inspect.SeenStore, fix string) []string {
	w.Printf("  %s, seen %d times\n", kindOf(&s.Store), s.Seen)
	if text, ok := s.Examples[""]; ok {
		w.Printf("    %-32s %s\n", "(the store itself)", terminal.Printable(text))
	}
	shown := s.Properties
	if s.Known() {
		shown = nil
		for _, r := range s.Offered {
			_, path, _ := strings.Cut(r, "=")
			shown = append(shown, path)
		}
	}
	for _, path := range shown {
		text, ok := s.Examples[path]
		if !ok {
			text = "{…}"
		}
		w.Printf("    %-32s %s\n", terminal.Printable(path), terminal.Printable(text))
	}
	if !s.Known() && s.More > 0 {
		w.Printf("    … and %d more, with what is in them\n", s.More)
	}
	if !s.Known() && s.Deeper {
		w.Printf("    objects deeper in it are not looked at: a path may lead into each {…}\n")
	}
	if len(s.Labels) > 0 {
		w.Printf("    makes the labels %s\n", strings.Join(s.Labels, ", "))
	}
	if s.Handle {
		w.Printf("    of dd-trace, whose stores cannot be read here: %s\n", fix)
	}
	var offers []string
	for _, r := range s.Offered {
		offers = append(offers, inspect.Quoted(r))
	}
	if len(offers) > 0 && (s.Sentry || len(s.Labels) == 0) {
		w.Printf("    --label %s\n", strings.Join(offers, " --label "))
		return offers
	}
	return nil
}

func kindOf(s *inspect.Store) string {
	switch {
	case s.OpenTelemetry:
		return "OpenTelemetry's context"
	case s.Sentry:
		return "Sentry's scopes"
	case s.Datadog:
		return "dd-trace's span"
	case s.Package:
		return "the context of the npm package hotspan"
	case s.Handle:
		return "an opaque handle"
	case s.Name == "":
		return "an AsyncLocalStorage without a name"
	}
	return "AsyncLocalStorage " + strconv.Quote(s.Name)
}
