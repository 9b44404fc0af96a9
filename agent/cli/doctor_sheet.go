package cli

import (
	"github.com/hotspan/hotspan/agent/cli/terminal"
)

// doctorSheet prints what can be profiled.
type doctorSheet struct{ terminal.Sheet }
