package preflight

import (
	"strconv"
	"strings"

	"github.com/hotspan/hotspan/agent/internal/doctor"

	"github.com/hotspan/hotspan/agent/cli/terminal"
	"github.com/hotspan/hotspan/v8/layout"
)

// detail prints what doctor -p shows in addition.
func (w *sheet) detail(p *doctor.NodeProcess) {
	d := p.Detail
	w.published(d.Published)
	w.stores(p)
	w.fields("compared", p.Check.Fields)
	w.fields("assumed", p.Layout.Assumed)
	w.Several("unknown", d.Consequences)
	w.Line("code", "%d executable mappings of %d files", d.Code, d.Files)
	if d.LeftOut > 0 {
		w.Line("", "%d mappings are left out, the BPF program has no room for more: their frames have no names",
			d.LeftOut)
	}
	w.Several("files", d.Problems)
}

// published prints, in one line, what the process publishes for readers outside it.
func (w *sheet) published(list []doctor.Publication) {
	var texts []string
	for _, p := range list {
		if p.Not != "" {
			p.What += " (not read: " + p.Not + ")"
		}
		texts = append(texts, terminal.Shorten(terminal.Printable(p.What), terminal.LongestCommand))
	}
	if len(texts) == 0 {
		texts = []string{"nothing"}
	}
	w.Line("published", "%s", strings.Join(texts, ", "))
}

func (w *sheet) stores(p *doctor.NodeProcess) {
	stores := p.Detail.Stores
	if len(stores) == 0 {
		w.Line("stores", "none was current in the two seconds that were watched: try again under load")
	}
	for i, s := range stores {
		name := "of an AsyncLocalStorage without a name"
		if s.Name != "" {
			name = "of the AsyncLocalStorage " + strconv.Quote(s.Name)
		}
		switch {
		case s.OpenTelemetry:
			name = "of OpenTelemetry"
		case s.Sentry:
			name = "of Sentry"
		case s.Datadog:
			name = "of dd-trace"
		case s.Handle:
			name = "of dd-trace, where they cannot be read: " + p.Stores.FixHandles(p.Node)
		case len(s.Properties) == 0:
			name += ": a string, a number or a boolean"
		default:
			name += ": " + terminal.Printable(strings.Join(s.Properties, ", "))
		}
		w.Line(terminal.Once("stores", i), "%s", name)
	}
}

// perLine is the number of field names on a line.
const perLine = 4

func (w *sheet) fields(what string, fields []layout.Field) {
	for i := 0; i < len(fields); i += perLine {
		var names []string
		for _, f := range fields[i:min(i+perLine, len(fields))] {
			names = append(names, f.String())
		}
		w.Line(terminal.Once(what, i), "%s", strings.Join(names, ", "))
	}
}
