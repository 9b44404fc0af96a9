package nodejs

import (
	"testing"

	"github.com/hotspan/hotspan/v8/layout"
)

// TestPublicSymbol: what each of these releases has in lookupPublicResource (lib/internal/async_hooks.js, as in
// process.binding('natives')). Without the right symbol no sample in the callback of an HTTP server has a label.
func TestPublicSymbol(t *testing.T) {
	public := map[string]string{
		"": "resource_symbol", "16.0.0": "resource_symbol", "16.6.0": "resource_symbol",
		"16.7.0": "owner_symbol", "16.13.2": "owner_symbol",
		"16.14.0": "resource_symbol", "16.20.2": "resource_symbol",
		"17.0.1": "owner_symbol", "17.1.0": "owner_symbol",
		"17.2.0": "resource_symbol", "18.7.0": "resource_symbol", "26.10.0": "resource_symbol",
	}
	for node, want := range public {
		l := &layout.Layout{Node: node}
		for _, symbol := range []string{"resource_symbol", "owner_symbol"} {
			if got := symbolKind(l, symbol) == PublicSymbol; got != (symbol == want) {
				t.Errorf("Node.js %q: %s leads to the public resource: %t", node, symbol, got)
			}
		}
		if symbolKind(l, "kResourceStore") != StoreSymbol || symbolKind(l, "other") != OtherSymbol {
			t.Errorf("Node.js %q: the other kinds", node)
		}
	}
}
