package flags

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// wrongFlag says what is wrong with a flag of a command line.
func wrongFlag(c *cobra.Command, err error) error {
	var (
		unknown *pflag.NotExistError
		missing *pflag.ValueRequiredError
		invalid *pflag.InvalidValueError
	)
	switch {
	case errors.As(err, &unknown) && unknown.GetSpecifiedShortnames() != "":
		return fmt.Errorf("unknown flag -%s", unknown.GetSpecifiedName())
	case errors.As(err, &unknown):
		var names []string
		c.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
		name := unknown.GetSpecifiedName()
		return fmt.Errorf("unknown flag --%s%s", name, didYouMean("--", nearest(name, names)))
	case errors.As(err, &missing):
		return fmt.Errorf("--%s: missing value, expecting %s", missing.GetFlag().Name, missing.GetFlag().Value.Type())
	case errors.As(err, &invalid):
		return fmt.Errorf("--%s: %w", invalid.GetFlag().Name, invalid.Unwrap())
	}
	return err
}

// wrongVerb says that a word is no verb.
func wrongVerb(word string, verbs []string) error {
	return fmt.Errorf("there is no command %s%s", word, DidYouMean(word, verbs))
}

// wrongProcess says how to name a process where a number stands that is no file's name.
func (v *verb) wrongProcess(words []string, given func(string) bool) error {
	byPID := func(f *field) bool { return f.short == "p" && !given(f.name) }
	if len(words) == 0 || !slices.ContainsFunc(v.flags, byPID) {
		return nil
	}
	if _, err := strconv.Atoi(words[0]); err != nil {
		return nil
	}
	if _, err := os.Stat(words[0]); err == nil {
		return nil
	}
	return fmt.Errorf("unexpected argument %s, did you mean \"-p %s\"?", words[0], words[0])
}

// DidYouMean asks for the words that are like one that is unknown, to be added to a message; empty if there are none.
func DidYouMean(word string, words []string) string { return didYouMean("", nearest(word, words)) }

func didYouMean(prefix string, words []string) string {
	var list []string
	for _, word := range words {
		list = append(list, `"`+prefix+word+`"`)
	}
	switch len(list) {
	case 0:
		return ""
	case 1:
		return ", did you mean " + list[0] + "?"
	}
	return ", did you mean one of " + strings.Join(list, ", ") + "?"
}

// nearest returns the words that begin so, else those that differ in one letter, else in two: of short words less.
func nearest(word string, words []string) []string {
	known := new(cobra.Command)
	for _, w := range words {
		known.AddCommand(&cobra.Command{Use: w, Run: func(*cobra.Command, []string) {}})
	}
	for letters := range min(3, len(word)/2+1) {
		known.SuggestionsMinimumDistance = letters
		if list := known.SuggestionsFor(word); len(list) > 0 {
			return list
		}
	}
	return nil
}

// missingFlags returns an error that names the required flags of a verb that a command line lacks.
func missingFlags(flags []*field, given func(name string) bool) error {
	var list []string
	for _, f := range flags {
		if f.required && !given(f.name) {
			list = append(list, f.long())
		}
	}
	if list == nil {
		return nil
	}
	return errors.New("missing flags: " + strings.Join(list, ", "))
}
