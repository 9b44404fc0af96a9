package trial

import (
	"slices"
	"strings"

	"github.com/hotspan/hotspan/test/nodes"
)

// Tier is one of V8's compilers.
type Tier struct {
	Name  string
	flags []string // that make a program's code stay with it
}

// Tiers are all compilers.
var Tiers = []Tier{
	{"ignition", []string{"--no-sparkplug", "--no-maglev", "--no-opt"}},
	{"sparkplug", []string{"--always-sparkplug", "--no-maglev", "--no-opt"}},
	{"maglev", []string{"--maglev", "--no-turbofan"}},
	{"turbofan", nil},
}

// Flags returns the options that make all code of a program stay in the tier. It is false if the version lacks the
// tier.
func (t Tier) Flags(v nodes.Version) (flags []string, ok bool) {
	if v.Maglev() {
		return t.flags, true
	}
	without := slices.DeleteFunc(slices.Clone(t.flags), func(f string) bool { return strings.Contains(f, "maglev") })
	return without, t.Name != "maglev"
}
