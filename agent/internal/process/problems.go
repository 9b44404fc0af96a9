package process

// Problem says what of a process cannot be profiled as it should.
type Problem struct {
	What string
	Why  []any // "why" and the reason, as log/slog has attributes; nil where What says all
}

// Problems are those that are known when it has been opened.
func (p *Process) Problems() (all []Problem) {
	if !p.HasV8() {
		return []Problem{{What: "there is no V8 in the process: its stacks are native; " +
			"hotspan doctor lists Node.js processes"}}
	}
	for _, why := range p.Mappings.V8().Problems {
		all = append(all, Problem{"executable", []any{"why", why}})
	}
	for _, note := range p.Layout.Notes {
		all = append(all, Problem{What: note})
	}
	if err := CanReadRequest(p.Layout); err != nil {
		all = append(all, Problem{"requests cannot be read: samples have no labels", []any{"why", err}})
	}
	return all
}
