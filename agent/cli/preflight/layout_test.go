package preflight

import (
	"encoding/json"
	"testing"

	"github.com/hotspan/hotspan/v8/layout"
)

// TestLayoutJSON: a field that is known to be 0, one that is absent and one that is unknown differ.
func TestLayoutJSON(t *testing.T) {
	l := &layout.Layout{Notes: []string{"a note"}}
	l.Values[layout.IsolateContext] = layout.Value{State: layout.Known}
	l.Values[layout.IsolateKey] = layout.Value{State: layout.Absent}
	out := layoutOf(l)
	got, err := json.Marshal([]any{
		out.Fields[layout.IsolateContext.String()], out.Fields[layout.IsolateKey.String()],
		out.Fields[layout.IsolateTLS.String()], len(out.Fields) == int(layout.NumFields), out.Notes,
	})
	if err != nil {
		t.Fatal(err)
	}
	if want := `[{"value":0},{"absent":true},{},true,["a note"]]`; string(got) != want {
		t.Errorf("%s, want %s", got, want)
	}
}
