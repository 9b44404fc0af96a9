package pprofx

import "slices"

// Process describes a sampled process. What is unknown is empty.
type Process struct {
	Executable string // path in the process's own mount namespace
	Service    string // service.name
	Container  string // container ID
	// Attributes are further resource attributes that the process publishes, with OpenTelemetry's names.
	Attributes []Label
}

// Equal reports whether two descriptions say the same. Snapshots that follow each other may have two processes with one
// pid, one after the other: all that tells these apart is what they are described as.
func (p Process) Equal(q Process) bool {
	return p.Executable == q.Executable && p.Service == q.Service && p.Container == q.Container &&
		slices.Equal(p.Attributes, q.Attributes)
}

// Common returns what two descriptions both say.
func (p Process) Common(q Process) (both Process) {
	same := func(a, b string) string {
		if a == b {
			return a
		}
		return ""
	}
	both.Executable, both.Service = same(p.Executable, q.Executable), same(p.Service, q.Service)
	both.Container = same(p.Container, q.Container)
	for _, l := range p.Attributes {
		if slices.Contains(q.Attributes, l) {
			both.Attributes = append(both.Attributes, l)
		}
	}
	return both
}
