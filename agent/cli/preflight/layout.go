package preflight

import (
	"fmt"
	"io"
	"os"

	"github.com/hotspan/hotspan/agent/cli/terminal"
	"github.com/hotspan/hotspan/v8/layout"
)

// Layout is the verb that prints the V8 layout of a Node.js binary.
type Layout struct {
	Binary string `arg:"" name:"node-binary" help:"Path of a Node.js executable."`
	JSON   bool   `name:"json" help:"Print all of it as JSON."`
}

// Run prints the fields, and how each is known.
func (l *Layout) Run(stdout io.Writer, _ terminal.Console) error {
	f, err := os.Open(l.Binary)
	if err != nil {
		return err
	}
	defer f.Close()
	table, err := layout.Read(f)
	if err != nil {
		return fmt.Errorf("%s: %w", l.Binary, err)
	}
	if l.JSON {
		return terminal.PrintJSON(stdout, layoutOf(table))
	}
	return table.Write(stdout)
}

// knownLayout is a layout in JSON.
type knownLayout struct {
	Node    string                `json:"node,omitempty"`
	V8      string                `json:"v8"`
	BuildID string                `json:"buildID,omitempty"`
	Fields  map[string]knownField `json:"fields"`
	Notes   []string              `json:"notes,omitempty"`
}

// knownField is a field of V8's. One that this V8 has not is absent; one without a value that is not is unknown.
type knownField struct {
	Value  *int64 `json:"value,omitempty"`
	Absent bool   `json:"absent,omitempty"`
	Origin string `json:"origin,omitempty"`
}

func layoutOf(l *layout.Layout) *knownLayout {
	out := &knownLayout{
		Node: l.Node, V8: l.V8.String(), BuildID: l.BuildID, Fields: map[string]knownField{}, Notes: l.Notes,
	}
	for f := range layout.NumFields {
		v := &l.Values[f]
		field := knownField{Absent: v.State == layout.Absent, Origin: fmt.Sprint(v.Origin)}
		if v.State == layout.Known {
			field.Value = &v.N
		}
		out.Fields[f.String()] = field
	}
	return out
}
