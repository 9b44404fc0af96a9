package daemon

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/hotspan/hotspan/agent/cli/flags"
)

// configuration is a YAML file whose keys are names of flags.
type configuration map[string]any

func readConfiguration(name string) (configuration, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var c map[string]any // maps in it are of this type too
	err = yaml.NewDecoder(f).Decode(&c)
	var several *yaml.TypeError // whose text has several lines
	switch {
	case errors.As(err, &several):
		return nil, fmt.Errorf("%s: yaml: %s", name, strings.Join(several.Errors, ", "))
	case err != nil && !errors.Is(err, io.EOF):
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return c, nil
}

// configFlag is the flag that names the file, in which it has no key.
const configFlag = "config"

// variable is what a flag of the agent is called in the environment.
func variable(flag string) string {
	return "HOTSPAN_" + strings.ToUpper(strings.ReplaceAll(flag, "-", "_"))
}

// Accept sets the flags that the command line lacks: from the environment, else from the configuration.
func (v *Verb) Accept(line *flags.Line) error {
	var missing []string
	for _, name := range line.Flags() {
		value, ok := os.LookupEnv(variable(name))
		switch {
		case line.Given(name):
		case !ok:
			missing = append(missing, name)
		default:
			if err := line.Set(name, value); err != nil {
				return fmt.Errorf("--%s, from %s: %w", name, variable(name), err)
			}
		}
	}
	if v.Config == "" {
		return nil
	}
	file, err := readConfiguration(v.Config)
	if err == nil {
		err = file.check(v.Config, line)
	}
	if err != nil {
		return err
	}
	for _, name := range missing {
		if err := line.Set(name, file[name]); err != nil {
			return fmt.Errorf("--%s, from %s: %w", name, v.Config, err)
		}
	}
	return nil
}

// check returns an error for a key that is no flag of the agent. file is the name of the file.
func (c configuration) check(file string, line *flags.Line) error {
	known := slices.DeleteFunc(slices.Clone(line.Flags()), func(name string) bool { return name == configFlag })
	for _, key := range slices.Sorted(maps.Keys(c)) {
		if !slices.Contains(known, key) {
			return fmt.Errorf("%s: key %q is unknown%s", file, key, flags.DidYouMean(key, known))
		}
	}
	return nil
}
