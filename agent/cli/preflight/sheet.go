package preflight

import (
	"github.com/hotspan/hotspan/agent/cli/terminal"
)

// sheet prints what can be profiled.
type sheet struct{ terminal.Sheet }
