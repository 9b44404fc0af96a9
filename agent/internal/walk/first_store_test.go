package walk

import (
	"encoding/binary"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hotspan/hotspan/agent/internal/bpf/bpftest"
	"github.com/hotspan/hotspan/pprofx"
	"github.com/hotspan/hotspan/test/nodes"
)

// firstStoreLabels has a rule for each value of testdata/two_stores.js, and the first store's; of the one that has an
// empty text there, which says nothing, the other's.
var firstStoreLabels = map[string]string{
	"short": "first", "long": "first is longer than the characters that are read with the head of a string",
	"wide": "first имя", "object.inside": "first", "list[0]": "first", `map.get("tenant")`: "first", "empty": "second",
}

// TestFirstStoreOrNothing: of two stores that have a value for a label the first one's counts, whatever the values are.
// Where it cannot be read the label is missing: each reference that the BPF program reads of the heap leads nowhere in
// turn.
func TestFirstStoreOrNothing(t *testing.T) {
	p := bpftest.Load(t)
	for _, v := range nodes.Drawn(nodes.Versions(), t.Name()) {
		t.Run(v.Version, func(t *testing.T) {
			rules := map[string]string{"number": ""}
			for rule, value := range firstStoreLabels {
				rules[rule] = value
			}
			k, pages := atFirst(t, p, v.Version, rules, "testdata/two_stores.js")
			want := append(labelled(firstStoreLabels), pprofx.Label{Key: "number", Num: 1})
			slices.SortFunc(want, func(a, b pprofx.Label) int { return strings.Compare(a.Key, b.Key) })
			whole := k.once(t, pages)
			if diff := cmp.Diff(want, whole.labels); diff != "" {
				t.Fatal(diff)
			}
			missing := 0
			for _, read := range whole.reads {
				for at := (read.At + 7) &^ 7; at+8 <= read.At+read.Size; at += 8 {
					if page := pages[at&^0xfff]; page == nil || !isReference(page[at&0xfff:]) {
						continue
					}
					k.forget(t)
					s := k.once(t, broken(pages, at))
					missing += len(want) - len(s.labels)
					for _, l := range s.labels {
						if l.Key != "empty" && strings.HasPrefix(l.Str, "second") {
							t.Errorf("without the word at 0x%x: %v; %+v", at, l, s.flags)
						}
					}
				}
			}
			if missing < 10 {
				t.Errorf("%d labels are missing: the test is for nothing", missing)
			}
		})
	}
}

// isReference reports whether a word of V8's heap is a reference to an object.
func isReference(word []byte) bool {
	n := binary.LittleEndian.Uint64(word)
	return n&3 == 1 && n>>16 != 0 && n>>47 == 0
}
