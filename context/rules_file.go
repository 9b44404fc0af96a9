package context

import (
	"errors"
	"fmt"
	"io"
	"os"

	"go.yaml.in/yaml/v3"
)

// maxRulesFile bounds the size of a file of rules, in bytes.
const maxRulesFile = 1 << 20

// ReadRules reads a YAML file of label rules: paths as ParseRule reads them, by the key of the label. A label may have
// several, of which the first that leads to a value counts. The file has at most 1 MiB.
//
//	labels:
//	  tenant: user.tenant
//	  job:
//	    - als("job").id
//	    - als("task").id
//
// Errors name the file and, where it is known, the line.
func ReadRules(name string) ([]Rule, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxRulesFile+1))
	if err != nil {
		return nil, err
	}
	if len(text) > maxRulesFile {
		return nil, fmt.Errorf("%s: more than %d bytes", name, maxRulesFile)
	}
	rules, err := parseRules(text)
	var at *lineError
	if errors.As(err, &at) {
		return nil, fmt.Errorf("%s:%d: %w", name, at.line, at.error)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return rules, nil
}

// lineError is an error in one line of a file.
type lineError struct {
	error
	line int
}

func at(n *yaml.Node, format string, args ...any) error {
	return &lineError{fmt.Errorf(format, args...), n.Line}
}

func parseRules(text []byte) ([]Rule, error) {
	var document yaml.Node
	if err := yaml.Unmarshal(text, &document); err != nil {
		return nil, err // it says the line
	}
	if len(document.Content) == 0 {
		return nil, errors.New("no rules: want labels: and below it NAME: PATH")
	}
	top := document.Content[0]
	if top.Kind != yaml.MappingNode {
		return nil, at(top, "want labels: and below it NAME: PATH")
	}
	var rules []Rule
	for i := 0; i+1 < len(top.Content); i += 2 {
		key, value := top.Content[i], top.Content[i+1]
		if key.Value != "labels" {
			return nil, at(key, "unknown key %s: there is only labels", key.Value)
		}
		if value.Kind != yaml.MappingNode {
			return nil, at(key, "below labels: want NAME: PATH")
		}
		labels, err := labelRules(value)
		if err != nil {
			return nil, err
		}
		rules = append(rules, labels...)
	}
	return rules, nil
}

// labelRules reads pairs of label and path or paths.
func labelRules(n *yaml.Node) ([]Rule, error) {
	var rules []Rule
	lines := map[string]int{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		if line, ok := lines[key.Value]; ok {
			return nil, at(key, "label %s is in line %d already", key.Value, line)
		}
		lines[key.Value] = key.Line
		paths := []*yaml.Node{value}
		if value.Kind == yaml.SequenceNode {
			paths = value.Content
		}
		for _, p := range paths {
			if p.Kind != yaml.ScalarNode || p.Value == "" {
				return nil, at(p, "label %s: want a path, such as user.tenant", key.Value)
			}
			store, path, err := parsePath(p.Value)
			if err != nil {
				return nil, at(p, "label %s: %w", key.Value, err)
			}
			rules = append(rules, Rule{Label: key.Value, Store: store, Path: path})
		}
	}
	return rules, nil
}
