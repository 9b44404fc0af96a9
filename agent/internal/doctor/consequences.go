package doctor

import (
	"fmt"
	"slices"

	"github.com/hotspan/hotspan/agent/internal/process"
	"github.com/hotspan/hotspan/v8/layout"
)

// consequences lists each unknown field with what is lost without it, and adds the notes of the layout.
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

// groups lists what is lost if one of some fields is unknown. The first group that has the field counts.
var groups = []struct {
	lost   string
	fields []layout.Field
}{
	{"the process cannot be sampled", slices.Concat(process.NamingFields, process.NamingFieldsIfAny)},
	{"samples have no labels", process.ContextFrameFields},
	{"isolates are not found: samples have no thread state and no labels",
		[]layout.Field{layout.IsolateTLS, layout.IsolateKey}},
	{"samples have no thread state (JavaScript, collection, compiler)", []layout.Field{layout.IsolateVMState}},
	{"a sample takes up to three microseconds more", []layout.Field{layout.HeapMSCount}},
	{"the kind of a collection is not known", []layout.Field{layout.IsolateHeap, layout.HeapGCState}},
	{"inlined functions are not named",
		[]layout.Field{layout.DeoptLiterals, layout.DeoptInlining, layout.DeoptSFI, layout.SFIWrapperShared}},
	{"stacks end where functions leave optimised code",
		[]layout.Field{layout.DeoptimizerFrom, layout.DeoptimizerInput, layout.FrameDescriptionContent}},
	{"functions that were inlined at a deoptimization exit are not named",
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
