package flags

import (
	"errors"
	"fmt"
	"strings"
)

// setArguments gives words to the arguments of a verb, in their order.
func setArguments(arguments []*field, words []string) error {
	for i, f := range arguments {
		if len(words) == 0 {
			return missingArguments(arguments[i:])
		}
		n := 1
		if f.isList() {
			n = len(words)
		}
		for _, word := range words[:n] {
			if err := f.set(word); err != nil {
				return fmt.Errorf("<%s>: %w", f.name, err)
			}
		}
		words = words[n:]
	}
	if len(words) > 0 {
		return fmt.Errorf("unexpected argument %s", words[0])
	}
	return nil
}

func missingArguments(arguments []*field) error {
	var list []string
	for _, f := range arguments {
		if !f.optional {
			list = append(list, f.pattern())
		}
	}
	if list == nil {
		return nil
	}
	return errors.New("missing arguments: " + strings.Join(list, " "))
}

// pattern is an argument as usage lines have it.
func (f *field) pattern() string {
	text := "<" + f.name + ">"
	if f.isList() {
		text += " ..."
	}
	if f.passthrough {
		text = "-- " + text
	}
	if f.optional {
		text = "[" + text + "]"
	}
	return text
}
