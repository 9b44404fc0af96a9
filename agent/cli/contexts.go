package cli

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/hotspan/hotspan/agent/internal/inspect"

	"github.com/hotspan/hotspan/agent"
	"github.com/hotspan/hotspan/agent/cli/exit"
	reqctx "github.com/hotspan/hotspan/context"
)

type contextsCmd struct {
	PID      int           `short:"p" required:"" help:"Process to inspect." placeholder:"PID"`
	Duration time.Duration `short:"d" default:"2s" help:"How long to watch it (${default})." placeholder:"TIME"`
	ruleFlags
	JSON bool `name:"json" help:"Print all of it as JSON."`
}

func (c *contextsCmd) Run(stdout io.Writer, _ console) error {
	if c.PID <= 0 {
		return fmt.Errorf("process %d: %w", c.PID, agent.ErrGone)
	}
	if c.Duration <= 0 {
		return exit.Usagef("-d %v: more than 0", c.Duration)
	}
	own, err := c.rules()
	if err != nil {
		return err
	}
	found, err := inspect.FindContexts(c.PID, reqctx.AllKinds.Rules(own), c.Duration)
	if err != nil {
		return exit.Explain(err)
	}
	if c.JSON {
		return printJSON(stdout, found)
	}
	w := &doctorSheet{sheet{Writer: stdout}}
	w.contexts(found)
	return w.err
}

func (w *doctorSheet) contexts(c *inspect.Contexts) {
	command := shorten(printable(strings.Join(c.CommandLine, " ")), 60)
	w.printf("process %d: %s, Node.js %s\n", c.PID, command, nodeVersion(c.Node))
	var offers []string
	current := 0
	for _, t := range c.Threads {
		current += t.Current
		w.printf("\nthread %d %s: looked at %d times, in a request %d times\n",
			t.TID, printable(t.Name), t.Looks, t.Current)
		for i := range t.Stores {
			offers = append(offers, w.seenStore(&t.Stores[i], c.Location.FixHandles(c.Node))...)
		}
	}
	if offers = eachLabelOnce(offers); len(offers) > 0 {
		w.printf("\nnext\n  hotspan record -p %d -d 10s", c.PID)
		for _, o := range offers {
			w.printf(" --label %s", o)
		}
		w.printf("\n")
	} else if current == 0 {
		w.printf("\nNo store was current: try again under load, or for longer: -d 10s\n")
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
func (w *doctorSheet) seenStore(s *inspect.SeenStore, fix string) []string {
	w.printf("  %s, seen %d times\n", kindOf(&s.Store), s.Seen)
	if text, ok := s.Examples[""]; ok {
		w.printf("    %-32s %s\n", "(the store itself)", printable(text))
	}
	shown := s.Properties
	if s.OpenTelemetry || s.Datadog || s.Package || s.Handle {
		shown = nil
	}
	for _, path := range shown {
		text, ok := s.Examples[path]
		if !ok {
			text = "{…}"
		}
		w.printf("    %-32s %s\n", printable(path), printable(text))
	}
	if len(s.Labels) > 0 {
		w.printf("    makes the labels %s\n", strings.Join(s.Labels, ", "))
	}
	if s.Handle {
		w.printf("    of dd-trace, whose stores cannot be read here: %s\n", fix)
	}
	var offers []string
	for _, r := range s.Offered {
		offers = append(offers, inspect.Quoted(r))
	}
	if len(offers) > 0 && len(s.Labels) == 0 {
		w.printf("    --label %s\n", strings.Join(offers, " --label "))
		return offers
	}
	return nil
}

func kindOf(s *inspect.Store) string {
	switch {
	case s.OpenTelemetry:
		return "OpenTelemetry's context"
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
