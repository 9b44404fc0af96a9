package inspect

import (
	"fmt"
	"io"
	"path"
	"strings"

	"github.com/hotspan/hotspan/agent"
	"github.com/hotspan/hotspan/agent/cli/exit"
	"github.com/hotspan/hotspan/agent/cli/profiling"
	"github.com/hotspan/hotspan/agent/cli/terminal"
	"github.com/hotspan/hotspan/agent/internal/dump"
	reqctx "github.com/hotspan/hotspan/context"
	"github.com/hotspan/hotspan/pprofx"
	"github.com/hotspan/hotspan/v8/await"
)

// Dump is the verb that prints the stacks of all threads of a process.
type Dump struct {
	PID int `short:"p" required:"" help:"Process whose threads are shown." placeholder:"PID"`
	profiling.RuleFlags
	Labels     string `default:"trace,route,custom" help:"${labels} (${default})." placeholder:"KINDS"`
	SourceMaps bool   `default:"true" negatable:"" help:"${maps}"`
	Cache      bool   `default:"true" negatable:"" help:"${cache}"`
	JSON       bool   `name:"json" help:"Print all of it as JSON."`
}

// Run prints the stacks of a process's threads.
func (v *Dump) Run(stdout io.Writer, c terminal.Console) error {
	config, err := dumpConfig(c, v.Labels, &v.RuleFlags, v.Cache)
	if err != nil {
		return err
	}
	config.PID, config.NoSourceMaps = v.PID, !v.SourceMaps
	return printDump(stdout, config, v.JSON)
}

// dumpConfig says which labels a dump has, by kinds and by the user's rules. The caller sets the rest.
func dumpConfig(c terminal.Console, kinds string, rules *profiling.RuleFlags, cache bool) (config dump.Config,
	err error) {
	parsed, err := reqctx.ParseKinds(kinds)
	if err != nil {
		return config, exit.Usage(err)
	}
	own, err := rules.LabelRules()
	if err != nil {
		return config, err
	}
	config = dump.Config{Rules: parsed.Rules(own), Log: c.Logger(false)}
	if _, err := reqctx.NewTree(config.Rules); err != nil {
		return config, exit.Usage(err)
	}
	if cache {
		config.FileCache = profiling.FileCache()
	}
	return config, nil
}

// printDump prints the stacks of a process that runs.
func printDump(stdout io.Writer, config dump.Config, asJSON bool) error {
	if config.PID <= 0 {
		return fmt.Errorf("process %d: %w", config.PID, agent.ErrGone)
	}
	d, err := dump.Take(config)
	if err != nil {
		return exit.Explain(err)
	}
	if asJSON {
		return terminal.PrintJSON(stdout, dumpOf(d))
	}
	w := &sheet{terminal.Sheet{Writer: stdout}}
	w.dump(d)
	return w.Err
}

func (w *sheet) dump(d *dump.Dump) {
	command := terminal.Shorten(terminal.Printable(strings.Join(d.CommandLine, " ")), terminal.LongestCommand)
	w.Printf("process %d: %s, Node.js %s\n", d.PID, command, terminal.NodeVersion(d.Node))
	if d.NotVerified != "" {
		w.Printf("not verified, so left out: %s\n", d.NotVerified)
	}
	for i := range d.Threads {
		w.dumpThread(&d.Threads[i])
	}
}

func (w *sheet) dumpThread(t *dump.Thread) {
	if !t.Caught {
		w.Printf("\nthread %d %s: %s, its stack did not stand still\n", t.TID, terminal.Printable(t.Name), t.Status)
		return
	}
	w.Printf("\nthread %d %s: %s, V8 %v%s\n", t.TID, terminal.Printable(t.Name), t.Status, t.State,
		terminal.LabelText(t.Labels))
	w.frames(t)
}

func (w *sheet) frames(t *dump.Thread) {
	for i, f := range t.Stack {
		w.Printf("    %s\n", frameLine(f))
		if a, ok := t.Arguments[i]; ok {
			w.Printf("        %s\n", argumentsLine(&a))
		}
	}
	if t.Stop != pprofx.StopRoot {
		w.Printf("    [the stack ends here: %v]\n", t.Stop)
	}
	w.async(&t.Async)
}

// async prints who waits for what a thread does.
func (w *sheet) async(a *dump.Async) {
	for _, f := range a.Callers {
		w.Printf("    async %s\n", terminal.Printable(frameName(f)))
	}
	switch a.End {
	case await.Several:
		w.Printf("    [several wait for promise 0x%x]\n", a.Promise)
	case await.Cut:
		w.Printf("    [more wait for promise 0x%x]\n", a.Promise)
	}
}

// argumentsLine is what a function was called with: this, then the arguments.
func argumentsLine(a *dump.Arguments) string {
	text := "this " + argumentText(a.Receiver)
	for _, v := range a.Values {
		text += ", " + argumentText(v)
	}
	if a.More > 0 {
		text += fmt.Sprintf(", and %d more", a.More)
	}
	return text
}

func argumentText(a dump.Argument) string {
	text := terminal.Shorten(terminal.Printable(a.Text), longestArgument)
	if a.Address != 0 {
		text += fmt.Sprintf(" 0x%x", a.Address)
	}
	return text
}

// longestArgument bounds how much of an argument is printed, in characters.
const longestArgument = 60

// frameName is the function of a frame, and where it is.
func frameName(f *pprofx.Frame) string {
	switch {
	case f.File != "" && f.Line > 0:
		return fmt.Sprintf("%s  %s:%d:%d", f.Function, f.File, f.Line, f.Column)
	case f.File != "":
		return f.Function + "  " + f.File
	case f.Module != "":
		return f.Function + "  " + path.Base(f.Module)
	}
	return f.Function
}

// frameLine is a frame as text: its function, where it is, and by what it was compiled.
func frameLine(f *pprofx.Frame) string {
	text := frameName(f)
	if f.Tier != pprofx.NoTier {
		text += "  " + f.Tier.String()
	} else if f.Kind != pprofx.Native && f.Kind != pprofx.Marker {
		text += "  " + f.Kind.String()
	}
	if f.Inlined {
		text += ", inlined"
	}
	return terminal.Printable(text)
}
