package flags

import (
	"fmt"
	"strings"

	"github.com/spf13/pflag"
)

// value is a field as a pflag.Value.
type value struct {
	*field
	of *pflag.FlagSet
}

// String implements pflag.Value. Defaults are in the help texts.
func (value) String() string { return "" }

// Type implements pflag.Value.
func (v value) Type() string {
	if v.isSwitch() {
		return "bool"
	}
	return v.placeholder
}

// Set implements pflag.Value. What is a flag of the verb is not taken for a value: one is missing there.
func (v value) Set(text string) error {
	if !v.isSwitch() && isFlag(v.of, text) {
		return fmt.Errorf("missing value, expecting %s but got %s", v.placeholder, text)
	}
	return v.set(text)
}

// isFlag reports whether a word is a flag of a set, or the end of flags.
func isFlag(set *pflag.FlagSet, word string) bool {
	if name, ok := strings.CutPrefix(word, "--"); ok {
		name, _, _ = strings.Cut(name, "=")
		return name == "" || set.Lookup(name) != nil
	}
	return len(word) == 2 && word[0] == '-' && set.ShorthandLookup(word[1:]) != nil
}

// negation is the flag --no-NAME.
type negation struct{ *field }

// String implements pflag.Value.
func (negation) String() string { return "" }

// Type implements pflag.Value.
func (negation) Type() string { return "bool" }

// Set implements pflag.Value.
func (n negation) Set(text string) error {
	err := n.set(text)
	n.to.SetBool(!n.to.Bool())
	return err
}

// negated is what stands before the name of a flag that says no.
const negated = "no-"

// addTo adds a flag to a set.
func (f *field) addTo(set *pflag.FlagSet) {
	flag := set.VarPF(value{f, set}, f.name, f.short, f.help)
	if f.isSwitch() {
		flag.NoOptDefVal = "true"
	}
	if f.negatable {
		set.VarPF(negation{f}, negated+f.name, "", "The opposite of --"+f.name+".").NoOptDefVal = "true"
	}
}
