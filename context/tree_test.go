package context

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func rules(t *testing.T, texts ...string) []Rule {
	t.Helper()
	var out []Rule
	for _, s := range texts {
		r, err := ParseRule(s)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, r)
	}
	return out
}

func edge(name string, slot, to, label int) Edge {
	return Edge{Step: Step{Name: name}, Slot: slot, To: to, Label: label, Unless: -1}
}

func TestTree(t *testing.T) {
	got, err := NewTree(rules(t, "id=user.id", "tenant=user.org.id", "user=user.name", `s=als("session")`, `sid=als("session").id`, `x=als("other").id`, "x=alt"))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"id", "tenant", "user", "s", "sid", "x"}, got.Labels); diff != "" {
		t.Errorf("labels: %s", diff)
	}
	if diff := cmp.Diff([]string{"user", "id", "org", "name", "alt"}, got.Names); diff != "" {
		t.Errorf("names: %s", diff)
	}
	if diff := cmp.Diff(map[string]Root{"session": {Node: 3, Label: 3}, "other": {Node: 4, Label: -1}}, got.Roots); diff != "" {
		t.Errorf("roots: %s", diff)
	}
	want := []Node{
		{[]Edge{edge("user", 0, 1, -1), edge("alt", 4, -1, 5)}},
		{[]Edge{edge("id", 1, -1, 0), edge("org", 2, 2, -1), edge("name", 3, -1, 2)}},
		{[]Edge{edge("id", 1, -1, 1)}},
		{[]Edge{edge("id", 1, -1, 4)}},
		{[]Edge{edge("id", 1, -1, 5)}},
	}
	if diff := cmp.Diff(want, got.Nodes); diff != "" {
		t.Errorf("nodes: %s", diff)
	}
}

// A value can be a label and lead on.
func TestTreeOfValueAndPath(t *testing.T) {
	for _, order := range [][]string{{"a=x", "b=x.y"}, {"b=x.y", "a=x"}} {
		got, err := NewTree(rules(t, order...))
		if err != nil {
			t.Fatal(err)
		}
		x := got.Nodes[0].Edges[0]
		if len(got.Nodes[0].Edges) != 1 || x.To != 1 || got.Labels[x.Label] != "a" || got.Labels[got.Nodes[1].Edges[0].Label] != "b" {
			t.Errorf("%v: %+v", order, got.Nodes)
		}
	}
}

func TestOpenTelemetryTree(t *testing.T) {
	got, err := NewTree(OpenTelemetry())
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"trace_id", "span_id", "http.route", "http.request.method", "url.path", "http.method", "http.target"}, got.Labels); diff != "" {
		t.Error(diff)
	}
	keys := got.Nodes[got.Nodes[0].Edges[0].To]
	if !keys.Symbols() || len(keys.Edges) != 2 || keys.Edges[0].Slot != -1 || got.Nodes[0].Symbols() {
		t.Errorf("the Map of a context: %+v", keys)
	}
	for _, n := range got.Nodes {
		for _, e := range n.Edges {
			if e.Symbol != n.Symbols() {
				t.Errorf("node of properties and symbols: %+v", n)
			}
		}
	}
}

// A step is needless once a label has its value, if that is so for all rules that share the step.
func TestUnless(t *testing.T) {
	all := rules(t, "route=r", "a=x.a", "b=x.b", "c=x.y.c", "d=z.d")
	for _, i := range []int{1, 3, 4} {
		all[i].Unless = "route"
	}
	tree, err := NewTree(all)
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]int{}
	for _, n := range tree.Nodes {
		for _, e := range n.Edges {
			got[e.Name] = e.Unless
		}
	}
	if diff := cmp.Diff(map[string]int{"r": -1, "x": -1, "a": 0, "b": -1, "y": 0, "c": 0, "z": 0, "d": 0}, got); diff != "" {
		t.Error(diff)
	}
}

func TestTreeErrors(t *testing.T) {
	many := func(n int, format string) []string {
		var out []string
		for i := range n {
			out = append(out, strings.ReplaceAll(format, "%", fmt.Sprint(i)))
		}
		return out
	}
	deep := "a=" + strings.Repeat("x.", 63)
	for _, c := range []struct {
		name  string
		rules []string
		err   string
	}{
		{"one path, two labels", []string{"a=x.y", "b=x.y"}, "label b: the same path as label a"},
		{"one rule twice", []string{"a=x.y", "a=x.y"}, ""},
		{"16 steps from one object", many(16, "a%=x%"), ""},
		{"17 steps from one object", many(17, "a%=x%"), "17 steps from one object, at most 16"},
		{"64 objects", []string{deep + "x"}, ""},
		{"65 objects", []string{deep + "x.x"}, "65 objects on the paths, at most 64"},
		{"64 labels", append(many(15, "a%=x%"), append(many(16, "b%=y.x%"), append(many(16, "c%=y.x0.x%"), many(16, "d%=y.x1.x%")...)...)...), ""},
		{"65 labels", append(many(15, "a%=x%"), append(many(16, "b%=y.x%"), append(many(16, "c%=y.x0.x%"), append(many(16, "d%=y.x1.x%"), many(2, "e%=y.x2.x%")...)...)...)...), "65 labels, at most 64"},
		{"65 names", append(many(13, "a=x%.p%"), many(13, "a=x%.q%.r%.s%")...), "65 property names, at most 64"},
	} {
		t.Run(c.name, func(t *testing.T) {
			tree, err := NewTree(rules(t, c.rules...))
			if (err == nil) != (c.err == "") || err != nil && !strings.Contains(err.Error(), c.err) {
				t.Errorf("error %v, want %q", err, c.err)
			}
			_ = tree
		})
	}
}
