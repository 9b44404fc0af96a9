// Package cli is hotspan's command line: flags and printing, with one file per verb. Only Main is exported.
package cli

import (
	"io"

	"github.com/alecthomas/kong"

	"github.com/hotspan/hotspan/agent/client"
	"github.com/hotspan/hotspan/agent/internal/version"
)

type commands struct {
	Record   recordCmd   `cmd:"" help:"Record a labelled CPU profile of running Node.js processes."`
	Agent    agentCmd    `cmd:"" help:"Profile all Node.js processes all day, and deliver the profiles."`
	Top      topCmd      `cmd:"" help:"Show what uses the CPU now, by function, route, trace or thread."`
	Wait     waitCmd     `cmd:"" help:"Wait until a label, a stall or so many samples are seen, for scripts."`
	Dump     dumpCmd     `cmd:"" help:"Show the stacks of all threads of a process now, of those that wait too."`
	Inspect  inspectCmd  `cmd:"" help:"Look into a core file, or into a process while it runs."`
	Convert  convertCmd  `cmd:"" help:"Write a recording in another format."`
	Report   reportCmd   `cmd:"" help:"Print where the CPU time of a recording went."`
	Query    queryCmd    `cmd:"" help:"Print where the CPU time of the last hours went, from an agent's store."`
	Diff     diffCmd     `cmd:"" help:"Print what uses more or less CPU time in one recording than in another."`
	Web      webCmd      `cmd:"" help:"Show a recording in the browser, on a page of its own and in pprof."`
	Trace    traceCmd    `cmd:"" help:"Show what a trace did on the CPU, by thread and over all services."`
	Stream   streamCmd   `cmd:"" help:"Print samples while an agent takes them, or snapshots of its store."`
	Status   statusCmd   `cmd:"" help:"Show what a running agent does."`
	Contexts contextsCmd `cmd:"" help:"${contexts}"`
	Doctor   doctorCmd   `cmd:"" help:"Show what can be profiled on this machine, and what is missing."`
	Layout   layoutCmd   `cmd:"" help:"Print the V8 layout of a Node.js binary, and how each part of it is known."`

	Version kong.VersionFlag `help:"Print the version, the commit and the BPF object's hash."`
}

// exited carries kong's own exit code, after --help and --version, up to Main.
type exited int

// Main runs the command line and returns the exit code: 0 for success, 1 for a failure, 2 for wrong usage,
// and those of wait.
func Main(args []string, stdout, stderr io.Writer) (code int) {
	defer func() {
		if r := recover(); r != nil {
			e, ok := r.(exited)
			if !ok {
				panic(r)
			}
			code = int(e)
		}
	}()
	parser := newParser(new(commands), stdout, stderr)
	ctx, err := parser.Parse(args)
	if err == nil {
		err = ctx.Run(parsed(func() (*agentCmd, error) { return parseAgent(args) }))
	} else {
		err = usageError{err}
	}
	return exitCode(err, stderr)
}

// parseAgent parses a command line of the verb agent.
func parseAgent(args []string) (*agentCmd, error) {
	var c commands
	_, err := newParser(&c, io.Discard, io.Discard).Parse(args)
	return &c.Agent, err
}

func newParser(c *commands, stdout, stderr io.Writer) *kong.Kong {
	parser, err := kong.New(c,
		kong.Name("hotspan"),
		kong.Description("CPU profiles of Node.js services from outside the process, with the request of each sample."),
		kong.Configuration(readConfiguration), kong.PostBuild(environment),
		help, kong.Vars{"version": version.Get().String(), "socketpath": client.DefaultSocket},
		kong.Writers(stdout, stderr),
		kong.Exit(func(code int) { panic(exited(code)) }),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true}),
		kong.UsageOnError(),
		kong.BindTo(stdout, (*io.Writer)(nil)),
		kong.Bind(console{stderr}),
	)
	if err != nil {
		panic(err) // the struct tags are wrong
	}
	return parser
}
