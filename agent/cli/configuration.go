package cli

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/alecthomas/kong"
	"go.yaml.in/yaml/v3"
)

// configuration is a YAML file whose keys are names of flags. It implements kong.Resolver.
type configuration map[string]any

func readConfiguration(r io.Reader) (kong.Resolver, error) {
	var c configuration
	if err := yaml.NewDecoder(r).Decode(&c); err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	return c, nil
}

// environment gives each flag of the agent the variable HOTSPAN_ and its name.
func environment(k *kong.Kong) error {
	for _, verb := range k.Model.Children {
		for _, f := range verb.Flags {
			if verb.Name == agentVerb && f.Name != "help" {
				f.Envs = []string{"HOTSPAN_" + strings.ToUpper(strings.ReplaceAll(f.Name, "-", "_"))}
				f.Value.Tag.Envs = f.Envs
			}
		}
	}
	return nil
}

// agentVerb is the verb that has a configuration.
const agentVerb = "agent"

// Validate returns an error for a key that is no flag of the agent.
func (c configuration) Validate(app *kong.Application) error {
	known := map[string]bool{}
	for _, verb := range app.Children {
		if verb.Name == agentVerb {
			for _, f := range verb.Flags {
				known[f.Name] = f.Name != "help" && f.Name != "config"
			}
		}
	}
	for key := range c {
		if !known[key] {
			return fmt.Errorf("configuration: key %q is unknown", key)
		}
	}
	return nil
}

// Resolve returns the value of a flag; nil if the file has none.
func (c configuration) Resolve(_ *kong.Context, _ *kong.Path, flag *kong.Flag) (any, error) {
	return c[flag.Name], nil
}
