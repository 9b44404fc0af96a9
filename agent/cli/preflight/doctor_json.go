package preflight

import "github.com/hotspan/hotspan/agent/internal/doctor"

// diagnosed is what doctor finds, in JSON.
type diagnosed struct {
	*doctor.Diagnosis
	Lacking   []string           `json:"lacking,omitempty"` // what makes sampling impossible
	Processes []diagnosedProcess `json:"processes"`
}

type diagnosedProcess struct {
	*doctor.NodeProcess
	Denied      string   `json:"denied,omitempty"`      // why it may not be read
	Cannot      string   `json:"cannot,omitempty"`      // why it cannot be sampled
	Verified    int      `json:"verified"`              // fields of the layout, in the process
	NotVerified string   `json:"notVerified,omitempty"` // why none is
	Wrong       []string `json:"wrong,omitempty"`       // what the process contradicts
	Labels      []string `json:"labels,omitempty"`      // rules for --label, quoted for a shell; with -p
}

func diagnosisOf(found *doctor.Diagnosis) diagnosed {
	out := diagnosed{found, found.Lacking(), []diagnosedProcess{}}
	for i := range found.Processes {
		p := &found.Processes[i]
		to := diagnosedProcess{NodeProcess: p, Denied: textOf(p.Denied), Cannot: textOf(p.Cannot),
			Verified: len(p.Check.Fields), NotVerified: p.Check.None, Wrong: p.Check.Wrong}
		if p.Detail != nil {
			to.Labels = p.Detail.Labels
		}
		out.Processes = append(out.Processes, to)
	}
	return out
}

// textOf is the text of an error, empty for none.
func textOf(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}
