package watch

import (
	"fmt"

	"github.com/hotspan/hotspan/agent"
	"github.com/hotspan/hotspan/agent/cli/terminal"
)

// completeness says of all samples so far how complete they are.
type completeness struct {
	Samples  int64 `json:"samples"`
	Lost     int64 `json:"lost"`
	WithJS   int64 `json:"withJs"`   // samples with JavaScript frames
	Named    int64 `json:"named"`    // of these, with every such frame named
	Requests int64 `json:"requests"` // samples while a store of an AsyncLocalStorage was current
	Labelled int64 `json:"labelled"` // samples with a label
	Missed   int64 `json:"missed"`   // of the agent's, which were not read in time
}

func (c *completeness) String() string {
	text := fmt.Sprintf("so far: %d lost, all JavaScript named %s, samples in requests labelled %s", c.Lost,
		terminal.Percent(c.Named, c.WithJS), terminal.Percent(c.Labelled, c.Requests))
	if c.Missed > 0 {
		text = fmt.Sprintf("so far: %d samples were not read in time", c.Missed)
	}
	return text
}

func completenessOf(p agent.Progress) *completeness {
	return &completeness{Samples: p.Samples, Lost: p.Lost, WithJS: p.WithJS, Named: p.Named, Requests: p.Requests,
		Labelled: p.Labelled}
}
