package inspect

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/hotspan/hotspan/agent/cli/exit"
	"github.com/hotspan/hotspan/agent/cli/terminal"
)

// Start runs a command line of inspect. One without a verb, on a terminal, asks for verbs, and has again run each with
// the words behind it.
func (v *Inspect) Start(stdout io.Writer, c terminal.Console, again func(words []string)) error {
	of := slices.DeleteFunc([]string{v.Core, v.Node, v.Verb}, func(word string) bool { return word == "" })
	hasVerb := slices.ContainsFunc(append(of, v.Addresses...), isInspectVerb)
	if hasVerb || len(of) == 0 && v.PID == 0 || !terminal.IsTerminal(stdout) || !terminal.IsTerminal(os.Stdin) {
		return v.Run(stdout, c)
	}
	if err := v.check(of, c); err != nil {
		return err
	}
	p := prompt{terminal.NewPrompt(terminal.FileOf(stdout), "inspect> ", completeVerb), again}
	return p.run()
}

// check opens what is to be looked into, so that an error comes at once.
func (v *Inspect) check(of []string, c terminal.Console) error {
	if v.PID != 0 && len(of) > 0 || len(of) > 2 {
		return exit.Usage(fmt.Errorf("either a core and NODE, or -p PID: %q", of))
	}
	of = append(of, "", "")
	subject, end, err := v.open(&inspected{core: of[0], node: of[1]})
	if err != nil {
		return err
	}
	for _, p := range subject.Problems {
		c.Logger(false).Warn("not used", "why", p)
	}
	end()
	return nil
}

// prompt asks for verbs with their operands and flags.
type prompt struct {
	*terminal.Prompt
	show func(words []string)
}

const promptHelp = "Verbs: %s\n" +
	"Addresses and flags follow: hotspan inspect --help. Tab completes verbs, quit or Ctrl-D ends.\n"

// run shows what is asked for. A verb that fails says why, and the next one may be asked for.
func (p *prompt) run() error {
	fmt.Fprintf(p.Screen, promptHelp, strings.Join(inspectVerbs, " "))
	for {
		line, err := p.Ask()
		words := strings.Fields(line)
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		case len(words) == 0:
		case slices.Contains([]string{"quit", "exit", "q"}, words[0]):
			return nil
		case words[0] == "help" || !slices.ContainsFunc(words, isInspectVerb) && !strings.HasPrefix(words[0], "-"):
			fmt.Fprintf(p.Screen, promptHelp, strings.Join(inspectVerbs, " "))
		default:
			p.show(words)
		}
	}
}

// completeVerb completes the verb at the end of a line, as far as only one begins so.
func completeVerb(line string, at int, key rune) (string, int, bool) {
	if key != '\t' || at != len(line) {
		return "", 0, false
	}
	begin := strings.LastIndexByte(line, ' ') + 1
	var found []string
	for _, verb := range inspectVerbs {
		if strings.HasPrefix(verb, line[begin:]) {
			found = append(found, verb)
		}
	}
	if len(found) != 1 {
		return "", 0, false
	}
	line = line[:begin] + found[0] + " "
	return line, len(line), true
}
