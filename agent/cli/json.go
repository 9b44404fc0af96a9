package cli

import (
	"encoding/json"
	"io"
)

// printJSON prints a value for programs, and for people who look at it.
func printJSON(to io.Writer, value any) error {
	out := json.NewEncoder(to)
	out.SetEscapeHTML(false)
	out.SetIndent("", "  ")
	return out.Encode(value)
}
