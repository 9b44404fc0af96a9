package inspect

import (
	"github.com/hotspan/hotspan/agent/cli/terminal"
)

// sheet prints what is in a process or a core.
type sheet struct{ terminal.Sheet }
