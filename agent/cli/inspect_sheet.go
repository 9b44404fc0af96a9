package cli

import (
	"github.com/hotspan/hotspan/agent/cli/terminal"
)

// inspectSheet prints what is in a process or a core.
type inspectSheet struct{ terminal.Sheet }
