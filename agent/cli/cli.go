// Package cli is hotspan's command line: one file a verb, flags and printing only.
package cli

import (
	"errors"
	"fmt"
	"io"

	"github.com/alecthomas/kong"
)

// Exit codes.
const (
	exitDone   = 0
	exitFailed = 1
	exitUsage  = 2
)

type commands struct {
	Record   recordCmd   `cmd:"" help:"Record a labelled CPU profile of running Node.js processes."`
	Contexts contextsCmd `cmd:"" help:"Show the stores that a process keeps for its requests, and the labels that can be made of them."`
	Doctor   doctorCmd   `cmd:"" help:"Say what can be profiled on this machine, and what is missing."`
	Layout   layoutCmd   `cmd:"" help:"Print where a Node.js binary's V8 keeps things, and how that is known."`
}

// usageError is an error in how hotspan was called.
type usageError struct{ error }

func (e usageError) Unwrap() error { return e.error }

func usagef(format string, args ...any) error { return usageError{fmt.Errorf(format, args...)} }

// exited ends kong's own exits, after --help.
type exited int

// Main runs the command line and returns the exit code.
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
	var c commands
	parser, err := kong.New(&c,
		kong.Name("hotspan"),
		kong.Description("CPU profiles of Node.js services, from outside, with the request of each sample."),
		kong.Writers(stdout, stderr),
		kong.Exit(func(code int) { panic(exited(code)) }),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true}),
		kong.UsageOnError(),
		kong.BindTo(stdout, (*io.Writer)(nil)),
		kong.Bind(console{stderr}),
	)
	if err != nil {
		panic(err) // the struct tags above are wrong
	}
	ctx, err := parser.Parse(args)
	if err == nil {
		err = ctx.Run()
	} else {
		err = usageError{err}
	}
	return report(err, stderr)
}

func report(err error, stderr io.Writer) int {
	var usage usageError
	switch {
	case err == nil:
		return exitDone
	case errors.As(err, &usage):
		fmt.Fprintf(stderr, "hotspan: %v\nTry 'hotspan --help'.\n", err)
		return exitUsage
	}
	fmt.Fprintf(stderr, "hotspan: %v\n", err)
	return exitFailed
}
