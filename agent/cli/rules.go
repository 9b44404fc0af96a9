package cli

import reqctx "github.com/hotspan/hotspan/context"

// ruleFlags are the options that give rules for labels.
type ruleFlags struct {
	Label []string `help:"Make a label of a value in an AsyncLocalStorage's store: tenant=user.tenant, id=als(\"session\").id, or tenant=get(\"tenant\") of a Map." placeholder:"NAME=PATH" sep:"none"`
	Rules []string `help:"YAML file of such rules: labels: {tenant: user.tenant}." placeholder:"FILE" sep:"none"`
}

// rules are those of the files, then those of the command line.
func (f *ruleFlags) rules() ([]reqctx.Rule, error) {
	var out []reqctx.Rule
	for _, name := range f.Rules {
		rules, err := reqctx.ReadRules(name)
		if err != nil {
			return nil, usageError{err}
		}
		out = append(out, rules...)
	}
	for _, s := range f.Label {
		rule, err := reqctx.ParseRule(s)
		if err != nil {
			return nil, usageError{err}
		}
		out = append(out, rule)
	}
	return out, nil
}
