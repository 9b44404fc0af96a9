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

func labelsOf(t *Tree) []string {
	var out []string
	for _, l := range t.Labels {
		out = append(out, l.Label)
	}
	return out
}

func TestTree(t *testing.T) {
	got, err := NewTree(rules(t, "id=user.id", "tenant=user.org.id", "user=user.name", `s=als("session")`,
		`sid=als("session").id`, `x=als("other").id`, "x=alt"))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"id", "tenant", "user", "s", "sid", "x", "x"}, labelsOf(got)); diff != "" {
		t.Errorf("labels: %s", diff)
	}
	if diff := cmp.Diff([]Name{{Text: "user"}, {Text: "id"}, {Text: "org"}, {Text: "name"},
		{PrivateName, "#name"}, {Text: "session"}, {Text: "other"}, {Text: "alt"}}, got.Names); diff != "" {
		t.Errorf("names: %s", diff)
	}
	if diff := cmp.Diff([]Root{{Name: 5, Node: 3, Label: 3}, {Name: 6, Node: 4, Label: -1}},
		got.Roots); diff != "" {
		t.Errorf("roots: %s", diff)
	}
	want := []Node{
		{[]Edge{edge("user", 0, 1, -1), edge("alt", 7, -1, 6)}},
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
		if len(got.Nodes[0].Edges) != 1 || x.To != 1 || got.Labels[x.Label].Label != "a" ||
			got.Labels[got.Nodes[1].Edges[0].Label].Label != "b" {
			t.Errorf("%v: %+v", order, got.Nodes)
		}
	}
}

// The built-in rules fit, and leave room for the user's.
func TestBuiltInTree(t *testing.T) {
	got, err := NewTree(Kinds{Trace: true, Route: true, Custom: true,
		Root: true}.Rules(rules(t, "a=x", `b=baggage("k")`)))
	if err != nil {
		t.Fatal(err)
	}
	if len(got.Labels) > 25 || len(got.Names) > 32 || len(got.Nodes) > 25 {
		t.Errorf("%d labels, %d names, %d nodes", len(got.Labels), len(got.Names), len(got.Nodes))
	}
	for _, n := range got.Names {
		private := n.Text[0] == '#'
		if (n.Kind == PrivateName) != private || (n.Kind == GlobalName) != strings.HasPrefix(n.Text, "OpenTelemetry ") {
			t.Errorf("%+v", n)
		}
	}
}

func TestKinds(t *testing.T) {
	own := rules(t, "tenant=x")
	for in, want := range map[string][]string{
		"none": nil, "custom": {"tenant", packageLabels},
		"trace": {packageLabels, "trace_id", "span_id", "trace_id", "span_id", RequestStart, RequestStart,
			"trace_id", "span_id", "trace_id", "_dd.p.tid", "span_id", RequestStart},
		"route, custom": {"tenant", packageLabels, "http.route", "http.request.method", "url.path", "http.method",
			"http.target", "http.route", "http.method", "http.url"},
	} {
		k, err := ParseKinds(in)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, r := range k.Rules(own) {
			got = append(got, r.Label)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: %s", in, diff)
		}
	}
	for _, in := range []string{"", "all", "trace,none", "trace;route"} {
		if _, err := ParseKinds(in); err == nil || !strings.Contains(err.Error(), "want trace, route, custom") {
			t.Errorf("%q: %v", in, err)
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
	if diff := cmp.Diff(map[string]int{"r": -1, "x": -1, "a": 0, "b": -1, "y": 0, "c": 0, "z": 0, "d": 0},
		got); diff != "" {
		t.Error(diff)
	}
}

// A rule may stand in for the first one of the same key, whatever form that has.
func TestUnlessSameKey(t *testing.T) {
	all := rules(t, "began=root.time", "began=time", "route=r")
	all[0].Time, all[1].Time, all[1].Unless = true, true, "began"
	tree, err := NewTree(all)
	if err != nil {
		t.Fatal(err)
	}
	want := []Edge{edge("root", 0, 1, -1), edge("time", 1, -1, 1), edge("r", 2, -1, 2)}
	want[1].Unless = 0
	if diff := cmp.Diff(want, tree.Nodes[0].Edges); diff != "" || len(tree.Labels) != 3 {
		t.Errorf("%d labels: %s", len(tree.Labels), diff)
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
		{"64 steps from one object", many(64, "a=x[%]"), ""},
		{"65 steps from one object", many(65, "a=x[%]"), "65 labels, at most 64"},
		{"the store as two labels", []string{"a=store", "b=store"}, "label b: the same value as label a"},
		{"64 objects", []string{deep + "x"}, ""},
		{"65 objects", []string{deep + "x.x"}, "65 objects on the paths, at most 64"},
		{"64 bytes", []string{"a=" + strings.Repeat("é", 64) + "." + strings.Repeat("я", 32)}, ""},
		{"65 bytes", []string{"a=" + strings.Repeat("é", 65)}, "ééé…, which is longer than 64 bytes"},
		{"66 bytes", []string{"a=x." + strings.Repeat("я", 33)}, "яяя…, which is longer than 64 bytes"},
		{"64 labels", append(many(15, "a%=x%"),
			append(many(16, "b%=y.x%"), append(many(16, "c%=y.x0.x%"), many(16, "d%=y.x1.x%")...)...)...), ""},
		{"65 labels", append(many(15, "a%=x%"),
			append(many(16, "b%=y.x%"), append(many(16, "c%=y.x0.x%"),
				append(many(16, "d%=y.x1.x%"), many(2, "e%=y.x2.x%")...)...)...)...), "65 labels, at most 64"},
		{"129 names", append(many(43, "a=x%.p%"), "a="+strings.Join(many(43, "s%"), ".")),
			"129 names of properties and keys, at most 128"},
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
