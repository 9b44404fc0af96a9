package profiling

import (
	"github.com/hotspan/hotspan/agent/cli/exit"
	reqctx "github.com/hotspan/hotspan/context"
)

// RuleFlags are the flags that give rules for labels.
type RuleFlags struct {
	Label []string `help:"${label}" placeholder:"NAME=PATH" sep:"none"`
	Rules []string `help:"${rules}" placeholder:"FILE" sep:"none"`
}

// LabelRules returns the rules of the files, then those of the command line.
func (f *RuleFlags) LabelRules() ([]reqctx.Rule, error) {
	var out []reqctx.Rule
	for _, name := range f.Rules {
		rules, err := reqctx.ReadRules(name)
		if err != nil {
			return nil, exit.Usage(err)
		}
		out = append(out, rules...)
	}
	for _, s := range f.Label {
		rule, err := reqctx.ParseRule(s)
		if err != nil {
			return nil, exit.Usage(err)
		}
		out = append(out, rule)
	}
	return out, nil
}
