package flags

import (
	"fmt"

	"github.com/spf13/cobra"
)

// Line is a command line that was read.
type Line struct {
	Name string // of the verb
	Verb any    // pointer to its struct

	verb    *verb
	command *cobra.Command
}

// Given reports whether the command line has a flag, or its negation.
func (l *Line) Given(name string) bool {
	return l.command.Flags().Changed(name) || l.command.Flags().Changed(negated+name)
}

// Flags returns the names of the verb's flags, in the order of their fields.
func (l *Line) Flags() (names []string) {
	for _, f := range l.verb.flags {
		names = append(names, f.name)
	}
	return names
}

// Set sets a flag to a value that is from elsewhere: a string, another scalar, a list for a flag that may be repeated,
// or what its Decoder takes. nil sets nothing.
func (l *Line) Set(name string, value any) error {
	for _, f := range l.verb.flags {
		if f.name == name {
			return f.setAny(value)
		}
	}
	return fmt.Errorf("there is no flag --%s", name)
}
