// Package flags reads command lines into structs. A program has verbs, each of which is a struct: its fields are the
// flags and the arguments, and their tags say the rest.
//
//	cmd          the field is a verb
//	help         what it is; ${NAME} stands for a variable of App, ${default} for the default
//	name         the flag's name, else that of the field: SourceMaps is --source-maps
//	short        a letter for it
//	placeholder  what the help calls its value
//	default      its value where none is given; lists have none
//	enum         the values that it may have, with commas
//	sep          none: a value of a list is one element, else elements are separated by commas
//	required     the flag may not be left out
//	negatable    there is --no-NAME too
//	arg          the field is an argument
//	optional     the argument may be left out
//	passthrough  the argument takes all words from the first on, flags too, and a -- before them
//
// Types may be strings, numbers, bool, time.Duration, an encoding.TextUnmarshaler, lists of these, a map of strings, a
// pointer to one of them, which is nil where none is given, or a Decoder.
package flags

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

// App is a program with verbs.
type App struct {
	Name    string
	About   string            // what it is for
	Verbs   any               // pointer to a struct with the verbs
	Vars    map[string]string // variables of tags
	Version string            // what --version prints
	Columns int               // width of help texts, in characters
}

// Parse reads a command line. The Line is nil where that was all: out has the help, the version, or the words by which
// a shell completes the line. An error says what is wrong with the line: then the Line has the verb's name and nothing
// else, or is nil where that is wrong.
func (a *App) Parse(args []string, out io.Writer) (read *Line, err error) {
	verbs := verbsOf(a.Verbs, a.Vars)
	var names []string
	for _, v := range verbs {
		names = append(names, v.name)
	}
	root := a.root(verbs, names, out)
	version := root.PersistentFlags().Bool("version", false, versionEntry.text)
	for _, v := range verbs {
		root.AddCommand(v.command(a, out, func(c *cobra.Command, words []string) (err error) {
			if *version {
				return a.printVersion(out)
			}
			read, err = v.accept(c, words)
			return err
		}))
	}
	root.RunE = func(_ *cobra.Command, words []string) error {
		switch {
		case *version:
			return a.printVersion(out)
		case len(words) > 0:
			return wrongVerb(words[0], names)
		}
		return fmt.Errorf("say what to do: %s", strings.Join(names, ", "))
	}
	root.SetArgs(append([]string{}, args...)) // nil would stand for those of the process
	c, err := root.ExecuteC()
	switch {
	case err == nil:
	case slices.Contains(names, c.Name()):
		read = &Line{Name: c.Name()}
	case c == root && len(args) > 0 && !strings.HasPrefix(args[0], "-"):
		err = wrongVerb(args[0], names) // the flags behind it are those of another verb: nothing is known of them
	}
	return read, err
}

func (a *App) printVersion(out io.Writer) error {
	_, err := fmt.Fprintln(out, a.Version)
	return err
}

// root returns the command that has the verbs.
func (a *App) root(verbs []*verb, names []string, out io.Writer) *cobra.Command {
	root := &cobra.Command{Use: a.Name, Args: cobra.ArbitraryArgs, SilenceErrors: true, SilenceUsage: true}
	root.CompletionOptions.DisableDefaultCmd = true
	root.SetOut(out)
	root.SetFlagErrorFunc(wrongFlag)
	// functions, for templates would have the linker keep each exported method of the program
	root.SetHelpFunc(func(*cobra.Command, []string) { a.print(out, verbs) })
	root.SetHelpCommand(&cobra.Command{
		Use: "help", Short: "Show the help of a command.", ValidArgs: names,
		RunE: func(_ *cobra.Command, words []string) error {
			c, rest, err := root.Find(words)
			if err == nil && len(rest) > 0 {
				err = wrongVerb(rest[0], names)
			}
			if err != nil {
				return err
			}
			return c.Help()
		},
	})
	return root
}

// command returns a verb as a command, which accept takes the arguments of.
func (v *verb) command(a *App, out io.Writer, accept func(*cobra.Command, []string) error) *cobra.Command {
	c := &cobra.Command{Use: v.name, Short: v.help, Args: cobra.ArbitraryArgs, RunE: accept}
	c.SetHelpFunc(func(*cobra.Command, []string) { v.print(out, a.Name, a.Columns) })
	c.Flags().SortFlags = false
	for _, f := range v.flags {
		f.addTo(c.Flags())
	}
	c.Flags().SetInterspersed(!v.passesThrough())
	for _, f := range v.arguments {
		c.ValidArgs = append(c.ValidArgs, f.enum...)
	}
	return c
}

// accept reads the arguments, and checks that all is there.
func (v *verb) accept(c *cobra.Command, words []string) (*Line, error) {
	line := &Line{Name: v.name, Verb: v.of, verb: v, command: c}
	if v.passesThrough() && c.ArgsLenAtDash() == 0 {
		words = append([]string{"--"}, words...)
	}
	if err := v.wrongProcess(words, line.Given); err != nil {
		return nil, err
	}
	if err := setArguments(v.arguments, words); err != nil {
		return nil, err
	}
	if err := missingFlags(v.flags, line.Given); err != nil {
		return nil, err
	}
	return line, nil
}

// print prints the help of the program.
func (a *App) print(to io.Writer, verbs []*verb) {
	fmt.Fprintf(to, "Usage: %s <command> [flags]\n\n%s\n", a.Name, strings.Join(wrap(a.About, a.Columns), "\n"))
	var list []entry
	for _, v := range verbs {
		list = append(list, entry{v.name, v.help})
	}
	printEntries(to, "Commands", list, a.Columns)
	printEntries(to, "Flags", []entry{helpEntry, versionEntry}, a.Columns)
	fmt.Fprintf(to, "\n\"%s <command> --help\" shows the help of a command.\n", a.Name)
}

var versionEntry = entry{"    --version", "Print the version."}
