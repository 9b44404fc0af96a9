package cli

import (
	"fmt"

	"github.com/hotspan/hotspan/pprofx"
)

// labelText lists labels, each after a comma; empty if there are none.
func labelText(labels []pprofx.Label) (text string) {
	for _, l := range labels {
		text += fmt.Sprintf(", %s=%s", printable(l.Key), printable(l.Text()))
	}
	return text
}

// labelValues returns the values of labels, nil if there are none.
func labelValues(labels []pprofx.Label) (values map[string]any) {
	for _, l := range labels {
		if values == nil {
			values = map[string]any{}
		}
		if values[l.Key] = l.Num; l.Str != "" {
			values[l.Key] = l.Str
		}
	}
	return values
}
