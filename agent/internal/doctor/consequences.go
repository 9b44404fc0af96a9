package doctor

import (
	"fmt"
	"slices"

	"github.com/hotspan/hotspan/agent/internal/process"
	"github.com/hotspan/hotspan/v8/layout"
)

// consequences names each unknown field with what is lost by it, and adds what the layout itself has to say.
func consequences(l *layout.Layout) []string {
	var out []string
	for f := range layout.NumFields {
		if l.Values[f].State == layout.Unresolved {
			out = append(out, fmt.Sprintf("%v is unknown: %s", f, lost(f)))
		}
	}
	for _, n := range l.Notes {
		if !slices.ContainsFunc(out, func(s string) bool { return len(s) > len(n) && s[:len(n)] == n }) {
			out = append(out, n)
		}
	}
	return out
}

// groups say what is lost with the fields in them. The first group that has a field counts.
var groups = []struct {
	lost   string
	fields []layout.Field
}{
	{"the process cannot be sampled", slices.Concat(process.NamingFields, process.NamingFieldsIfAny)},
	{"samples have no labels", process.ContextFrameFields},
	{"isolates are not found: states of threads are not told, and samples have no labels",
		[]layout.Field{layout.IsolateTLS, layout.IsolateKey}},
	{"the state of a thread (JavaScript, collection, compiler) is not told", []layout.Field{layout.IsolateVMState}},
	{"collections are told by the state alone", []layout.Field{layout.IsolateHeap, layout.HeapGCState}},
	{"inlined functions are not named",
		[]layout.Field{layout.DeoptLiterals, layout.DeoptInlining, layout.DeoptSFI, layout.SFIWrapperShared}},
	{"stacks end where functions leave optimised code",
		[]layout.Field{layout.DeoptimizerFrom, layout.DeoptimizerInput, layout.FrameDescriptionContent}},
	{"functions that were inlined where optimised code is left are not told",
		[]layout.Field{layout.DeoptExitStart, layout.DeoptExitSize}},
	{"WebAssembly frames have no kind", []layout.Field{layout.WasmFrameMarker}},
	{"numbers as labels are not read", []layout.Field{layout.HeapNumberValue, layout.TypeHeapNumber}},
}

func lost(f layout.Field) string {
	for _, g := range groups {
		if slices.Contains(g.fields, f) {
			return g.lost
		}
	}
	return "some names or lines may be missing"
}
