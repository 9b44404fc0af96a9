package process

import "log/slog"

// LogProblems logs what of a process cannot be profiled as it should, as far as that is known when it has been opened.
func (p *Process) LogProblems(log *slog.Logger) {
	log = log.With("pid", p.PID)
	if !p.HasV8() {
		log.Warn("there is no V8 that hotspan knows in the process: its stacks are native; " +
			"hotspan doctor lists Node.js processes")
		return
	}
	for _, why := range p.Mappings.V8().Problems {
		log.Warn("executable", "why", why)
	}
	for _, note := range p.Layout.Notes {
		log.Warn(note)
	}
	if err := CanReadRequest(p.Layout); err != nil {
		log.Warn("requests cannot be read: samples have no labels", "why", err)
	}
}
