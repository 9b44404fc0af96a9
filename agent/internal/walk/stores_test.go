package walk

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hotspan/hotspan/agent/internal/bpf/bpftest"
	"github.com/hotspan/hotspan/test/nodes"
)

// storesLabels has rules for the stores of testdata/stores.js, and the value of each.
var storesLabels = map[string]string{
	"user.id": "of the first store", "second.only": "here",
	"pair.left.name": "shared", "pair.right.other": "the same object", "right.of.right.name": "shared",
	"strings.flat": "/checkout", "strings.cons": "/checkout/orders/:id",
	"strings.deep": ":id/orders//checkout/orders/:id",
	"strings.long": "/orders/a text that is longer than what is read with its head/checkout",
	"strings.wide": "/orders/я/checkout:id", "strings.sliced": "0af7651916cd43dd8448eb211c80319c",
	"strings.far": "448eb211c80319c-b7ad6b7169203331", "strings.late": "-b7ad6b716920",
	"strings.slicedWide": ", a two-byte string",
	"strings.thin":       "/checkout/orders/",
}

// TestStores: of several stores that have a property the first counts, an object that two rules lead to has the labels
// of both, and a string has its characters in each form: in the first sample, and in those for which all is known.
func TestStores(t *testing.T) {
	p := bpftest.Load(t)
	for _, v := range nodes.Drawn(nodes.Versions(), t.Name()) {
		t.Run(v.Version, func(t *testing.T) {
			k, pages := atFirst(t, p, v.Version, storesLabels, "testdata/stores.js")
			for i := range 5 {
				if i > 2 {
					k.forgetRequest(t)
				}
				s := k.sample(t, pages)
				if diff := cmp.Diff(labelled(storesLabels), s.labels); diff != "" || s.flags.Unreadable {
					t.Errorf("sample %d: %+v: %s", i, s.flags, diff)
				}
			}
		})
	}
}
