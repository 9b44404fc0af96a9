package terminal

import (
	"encoding/json"
	"io"
)

// PrintJSON prints a value for programs, and for people who look at it.
func PrintJSON(to io.Writer, value any) error {
	out := json.NewEncoder(to)
	out.SetEscapeHTML(false)
	out.SetIndent("", "  ")
	return out.Encode(value)
}
