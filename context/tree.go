package context

import "fmt"

// Limits of a Tree, those of the BPF program.
const (
	MaxNames     = 64
	MaxNodes     = 64
	MaxEdges     = 128
	MaxNodeEdges = 16
	MaxLabels    = 64
)

// Tree is a set of rules with common beginnings made one. Node 0 stands for the store of any AsyncLocalStorage.
type Tree struct {
	Labels []string // by label number
	Names  []string // property names, by number
	Nodes  []Node
	Roots  map[string]Root // by the name of an AsyncLocalStorage: what its rules add to node 0
	mixed  string          // a property that is asked of what must be a Map
}

// Node is a kind of object on the way to a value: all that is reached by the same path.
type Node struct {
	Edges []Edge // all steps to properties, or all to entries of a Map
}

// Symbols reports whether the node's objects are Maps with symbols as keys.
func (n Node) Symbols() bool { return len(n.Edges) > 0 && n.Edges[0].Step.Symbol }

// Edge is a step to a value.
type Edge struct {
	Step
	Slot  int // number of the property name; of a symbol -1
	To    int // node to go on from; -1 = none
	Label int // label that takes the value; -1 = none
	// Unless is a label that makes all labels behind this edge needless; -1 = none.
	Unless int
}

// Root is where the rules of one AsyncLocalStorage begin.
type Root struct {
	Node  int // -1 = none
	Label int // label that takes the store itself; -1 = none
}

// NewTree joins rules. It fails where they exceed what the BPF program can hold.
func NewTree(rules []Rule) (*Tree, error) {
	t := &Tree{Nodes: make([]Node, 1), Roots: map[string]Root{}}
	for _, r := range rules {
		if err := t.add(r); err != nil {
			return nil, fmt.Errorf("label %s: %w", r.Label, err)
		}
	}
	return t, t.check()
}

func (t *Tree) add(r Rule) error {
	label, node := number(&t.Labels, r.Label), 0
	if r.Store != "" {
		root, ok := t.Roots[r.Store]
		if !ok {
			root = Root{Node: t.node(), Label: -1}
		}
		if len(r.Path) == 0 {
			if root.Label >= 0 && root.Label != label {
				return fmt.Errorf("the same value as label %s", t.Labels[root.Label])
			}
			root.Label = label
		}
		t.Roots[r.Store], node = root, root.Node
	}
	unless := -1
	if r.Unless != "" {
		unless = number(&t.Labels, r.Unless)
	}
	for i, step := range r.Path {
		e := t.edge(node, step, unless)
		if i < len(r.Path)-1 {
			if e.To < 0 {
				to := t.node() // may move the edges
				e = t.edge(node, step, unless)
				e.To = to
			}
			node = e.To
			continue
		}
		if e.Label >= 0 && e.Label != label {
			return fmt.Errorf("the same path as label %s", t.Labels[e.Label])
		}
		e.Label = label
	}
	return nil
}

// edge finds or adds a step. One that different rules share is needless only if it is for all of them.
func (t *Tree) edge(node int, step Step, unless int) *Edge {
	n := &t.Nodes[node]
	if len(n.Edges) > 0 && n.Symbols() != step.Symbol {
		t.mixed = step.Name
	}
	for i := range n.Edges {
		if n.Edges[i].Step == step {
			if n.Edges[i].Unless != unless {
				n.Edges[i].Unless = -1
			}
			return &n.Edges[i]
		}
	}
	e := Edge{Step: step, Slot: -1, To: -1, Label: -1, Unless: unless}
	if !step.Symbol {
		e.Slot = number(&t.Names, step.Name)
	}
	n.Edges = append(n.Edges, e)
	return &n.Edges[len(n.Edges)-1]
}

func (t *Tree) node() int {
	t.Nodes = append(t.Nodes, Node{})
	return len(t.Nodes) - 1
}

func number(list *[]string, s string) int {
	for i, have := range *list {
		if have == s {
			return i
		}
	}
	*list = append(*list, s)
	return len(*list) - 1
}

// isStore reports whether a node's objects are stores, not what stores refer to.
func (t *Tree) isStore(node int) bool {
	for _, root := range t.Roots {
		if root.Node == node {
			return true
		}
	}
	return node == 0
}

func (t *Tree) check() error {
	if t.mixed != "" {
		return fmt.Errorf("property %s of an OpenTelemetry context is asked for, which is a Map", t.mixed)
	}
	edges, widest := 0, 0
	for _, n := range t.Nodes {
		edges += len(n.Edges)
		widest = max(widest, len(n.Edges))
	}
	for _, c := range []struct {
		what      string
		have, max int
	}{
		{"labels", len(t.Labels), MaxLabels},
		{"property names", len(t.Names), MaxNames},
		{"objects on the paths", len(t.Nodes), MaxNodes},
		{"steps", edges, MaxEdges},
		{"steps from one object", widest, MaxNodeEdges},
	} {
		if c.have > c.max {
			return fmt.Errorf("label rules have %d %s, at most %d can be read", c.have, c.what, c.max)
		}
	}
	return nil
}
