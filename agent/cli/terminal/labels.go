package terminal

import (
	"fmt"

	"github.com/hotspan/hotspan/pprofx"
)

// LabelText lists labels, each after a comma; empty if there are none.
func LabelText(labels []pprofx.Label) (text string) {
	for _, l := range labels {
		text += fmt.Sprintf(", %s=%s", Printable(l.Key), Printable(l.Text()))
	}
	return text
}

// LabelValues returns the values of labels, nil if there are none.
func LabelValues(labels []pprofx.Label) (values map[string]any) {
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
