// Package cli is hotspan's command line: Main, the verbs by their names, and the help texts. Each verb is in a package
// below, with others that have much in common with it; what all of them use is there too.
package cli

import (
	"io"
	"slices"

	"github.com/hotspan/hotspan/agent/cli/analysis"
	"github.com/hotspan/hotspan/agent/cli/annotate"
	"github.com/hotspan/hotspan/agent/cli/daemon"
	"github.com/hotspan/hotspan/agent/cli/exit"
	"github.com/hotspan/hotspan/agent/cli/flags"
	"github.com/hotspan/hotspan/agent/cli/inspect"
	"github.com/hotspan/hotspan/agent/cli/preflight"
	"github.com/hotspan/hotspan/agent/cli/record"
	"github.com/hotspan/hotspan/agent/cli/remote"
	"github.com/hotspan/hotspan/agent/cli/terminal"
	"github.com/hotspan/hotspan/agent/cli/watch"
	"github.com/hotspan/hotspan/agent/internal/version"
)

type commands struct {
	Record   record.Verb        `cmd:"" help:"Record a labelled CPU profile of running Node.js processes."`
	Agent    daemon.Verb        `cmd:"" help:"Profile all Node.js processes all day, and deliver the profiles."`
	Top      watch.Top          `cmd:"" help:"Show what uses the CPU now, by function, route, trace or thread."`
	Wait     watch.Wait         `cmd:"" help:"Wait until a label, a stall or so many samples are seen."`
	Dump     inspect.Dump       `cmd:"" help:"Show the stacks of all threads now, of those that wait too."`
	Inspect  inspect.Inspect    `cmd:"" help:"Look into a core file, or into a process while it runs."`
	Convert  analysis.Convert   `cmd:"" help:"Write a recording in another format."`
	Report   analysis.Report    `cmd:"" help:"Print where the CPU time of a recording went."`
	Query    analysis.Query     `cmd:"" help:"Print where the last hours' CPU time went, from an agent's store."`
	Diff     analysis.Diff      `cmd:"" help:"Print what uses more or less CPU time than in another recording."`
	Web      analysis.Web       `cmd:"" help:"Show a recording in the browser, on its own page and in pprof."`
	Annotate annotate.Verb      `cmd:"" help:"Show the machine code of a function, with samples by instruction."`
	Trace    analysis.Trace     `cmd:"" help:"Show what a trace did on the CPU, by thread and over all services."`
	Stream   remote.Stream      `cmd:"" help:"Print samples while an agent takes them, or snapshots it keeps."`
	Status   remote.Status      `cmd:"" help:"Show what a running agent does."`
	Contexts preflight.Contexts `cmd:"" help:"Show the stores that requests keep, and the labels they can give."`
	Probes   preflight.Probes   `cmd:"" help:"List what record --probe can be put on in a process."`
	Doctor   preflight.Doctor   `cmd:"" help:"Show what can be profiled on this machine, and what is missing."`
	Layout   preflight.Layout   `cmd:"" help:"Print the V8 layout of a Node.js binary, and how it is known."`

	Completion completionCmd `cmd:"" help:"Print a script by which a shell completes command lines."`
}

// verb is what a verb does when its flags and arguments are set. That of the agent has more to go by.
type verb interface {
	Run(stdout io.Writer, c terminal.Console) error
}

// accepter is a verb that looks at its command line before it runs.
type accepter interface{ Accept(*flags.Line) error }

// Main runs the command line and returns the exit code: 0 for success, 1 for a failure, 2 for wrong usage,
// and those of wait.
func Main(args []string, stdout, stderr io.Writer) (code int) {
	return run(args, terminal.Escape(stdout), terminal.Escape(stderr))
}

func run(args []string, stdout, stderr io.Writer) (code int) {
	line, err := parse(args, stdout)
	usage := "hotspan --help"
	if line != nil {
		usage = "hotspan " + line.Name + " --help"
	}
	switch {
	case err != nil:
		err = exit.Usage(err)
	case line != nil:
		switch v := line.Verb.(type) {
		case *daemon.Verb:
			err = v.Run(func() (*daemon.Verb, error) { return parseAgent(args) }, terminal.Console{Writer: stderr})
		case *inspect.Inspect:
			err = v.Start(stdout, terminal.Console{Writer: stderr}, func(words []string) {
				run(slices.Concat(args, words), stdout, stderr)
			})
		case *completionCmd:
			err = line.Completion(stdout, v.Shell)
		case verb:
			err = v.Run(stdout, terminal.Console{Writer: stderr})
		}
	}
	if err == nil {
		err = terminal.Failed(stdout) // such as a full disk: verbs need not check each line
	}
	return exit.Code(err, usage, stderr)
}

// parse reads a command line. Without an error and a line, there is no more to do. With an error the line has at most
// the verb's name.
func parse(args []string, stdout io.Writer) (*flags.Line, error) {
	app := flags.App{
		Name:    "hotspan",
		About:   "CPU profiles of Node.js services from outside the process, with the request of each sample.",
		Verbs:   new(commands),
		Vars:    help,
		Version: version.Get().String(),
		Columns: min(terminal.WidthOf(stdout), terminal.UsualWidth),
	}
	line, err := app.Parse(args, stdout)
	if err != nil || line == nil {
		return line, err
	}
	if v, ok := line.Verb.(accepter); ok {
		err = v.Accept(line)
	}
	return line, err
}

// parseAgent reads a command line of the verb agent.
func parseAgent(args []string) (*daemon.Verb, error) {
	line, err := parse(args, io.Discard)
	if err != nil {
		return nil, err
	}
	return line.Verb.(*daemon.Verb), nil
}

// completionCmd has the shell's own script made of all verbs.
type completionCmd struct {
	Shell string `arg:"" enum:"bash,zsh,fish" help:"${shell}"`
}
