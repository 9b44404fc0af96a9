package context

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// labelText writes labels as the package does: keys and values in turn.
func labelText(texts ...string) string {
	var b strings.Builder
	for _, s := range texts {
		b.WriteRune(rune(len(s)))
		for _, c := range []byte(s) {
			b.WriteRune(rune(c))
		}
	}
	return b.String()
}

const aTrace, aSpan = "0123456789abcdef0123456789abcdef", "0123456789abcdef"

func TestPackageLabels(t *testing.T) {
	tree, err := NewTree(AllKinds.Rules(nil))
	if err != nil {
		t.Fatal(err)
	}
	label := -1
	for i, l := range tree.Labels {
		if l.Label == packageLabels {
			label = i
		}
	}
	record := []Label{{Key: TraceID, Str: strings.Repeat("9", 32)}, {Key: "tenant", Str: "of the record"}}
	for _, c := range []struct {
		name, text string
		before     []Label
		want       []Label
		bad        int
	}{
		{"all", labelText(TraceID, aTrace, SpanID, aSpan, Route, "/a", "tenant", "東京"), nil,
			[]Label{{Key: TraceID, Str: aTrace}, {Key: SpanID, Str: aSpan}, {Key: Route, Str: "/a"},
				{Key: "tenant", Str: "東京"}}, 0},
		{"the last counts", labelText("a", "1", "b", "2", "a", "3"), nil,
			[]Label{{Key: "b", Str: "2"}, {Key: "a", Str: "3"}}, 0},
		{"beside a record", labelText(TraceID, aTrace, SpanID, aSpan, "tenant", "x", "user", "y"), record,
			append(record[:2:2], Label{Key: "user", Str: "y"}), 0},
		{"cut", labelText("a", "1", "b", "2")[:7], nil, []Label{{Key: "a", Str: "1"}}, 1},
		{"no id", labelText(SpanID, "x", "a", "1"), nil, []Label{{Key: "a", Str: "1"}}, 1},
		{"no UTF-8", labelText("a", "\xff", "\xff", "1"), nil, nil, 2},
		{"nothing", "", nil, nil, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			var sets LabelsBySource
			sets[PublishedNode] = append([]Label{}, c.before...)
			bad := tree.Decode([]Value{{Label: label, Str: c.text}}, true, &sets)
			if bad != c.bad {
				t.Errorf("%d bad values, want %d", bad, c.bad)
			}
			if diff := cmp.Diff(append([]Label{}, c.want...), sets[PublishedNode]); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// FuzzPackageLabels: any text makes valid labels, each key once.
func FuzzPackageLabels(f *testing.F) {
	f.Add(labelText(TraceID, aTrace, "tenant", "東京"))
	f.Add("\xff\x01")
	f.Fuzz(func(t *testing.T, text string) {
		var set []Label
		addPackageLabels(&set, text)
		seen := map[string]bool{}
		for _, l := range set {
			if seen[l.Key] || l.Key == "" || l.Str == "" || !l.valid() {
				t.Errorf("label %+v", l)
			}
			seen[l.Key] = true
		}
	})
}
