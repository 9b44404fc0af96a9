package context

import "fmt"

// Limits of a Tree, those of the BPF program.
const (
	MaxNames     = 128
	MaxNodes     = 64
	MaxEdges     = 128
	MaxNodeEdges = 64
	MaxLabels    = 64
)

// Tree is a set of rules with common beginnings made one. Node 0 stands for the store of any AsyncLocalStorage.
type Tree struct {
	Labels []Source // by label number
	Names  []Name   // by number
	Nodes  []Node
	Store  int             // label that takes any store itself; -1 = none
	Roots  map[string]Root // by the name of an AsyncLocalStorage: what its rules add to node 0
}

// Source is a label as one reader has it.
type Source struct {
	Label  string
	Reader Reader
	Bytes  bool   // the value is an array of bytes
	Rank   int    // of several rules for one label the first that has a value counts
	Unless string // label of the same reader whose place it takes; empty for none
}

// Name is what a property, or the key of a Map, is found by.
type Name struct {
	Kind NameKind
	Text string
}

// NameKind says what V8 keeps a name as.
type NameKind uint8

// The kinds of name.
const (
	StringName  NameKind = iota
	SymbolName           // a symbol with this description
	GlobalName           // the symbol that Symbol.for gives for it
	PrivateName          // a private name of a class, which is a symbol too; with its #
)

// Name is what the step looks for; ok is false for an element.
func (s Step) name() (n Name, ok bool) {
	n.Text = s.Name
	switch {
	case s.Kind == Element:
		return n, false
	case s.Kind == SymbolEntry:
		n.Kind = SymbolName
	case s.Kind == GlobalEntry:
		n.Kind = GlobalName
	case s.Kind == Property && len(s.Name) > 1 && s.Name[0] == '#':
		n.Kind = PrivateName
	}
	return n, true
}

// Node is a kind of object on the way to a value: all that is reached by the same path.
type Node struct{ Edges []Edge }

// Edge is a step to a value.
type Edge struct {
	Step
	Slot  int // number of the name; of an element its index
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
	t := &Tree{Nodes: make([]Node, 1), Roots: map[string]Root{}, Store: -1}
	for _, r := range rules {
		if err := t.add(r); err != nil {
			return nil, fmt.Errorf("label %s: %w", r.Label, err)
		}
	}
	return t, t.check()
}

func (t *Tree) add(r Rule) error {
	label, unless := t.label(r), -1
	if r.Unless != "" {
		unless = number(&t.Labels, Source{Label: r.Unless, Reader: r.Reader})
	}
	node, err := t.begin(r, label)
	if err != nil || len(r.Path) == 0 {
		return err
	}
	for i, step := range r.Path {
		e := t.edge(node, step, unless)
		if i == len(r.Path)-1 {
			return t.give(&e.Label, label, "the same path")
		}
		if e.To < 0 {
			to := t.node() // may move the edges
			e = t.edge(node, step, unless)
			e.To = to
		}
		node = e.To
	}
	return nil
}

// label is a number for the label of a rule: one that is less for earlier rules.
func (t *Tree) label(r Rule) int {
	s := Source{Label: r.Label, Reader: r.Reader, Bytes: r.Bytes, Unless: r.Unless}
	for _, have := range t.Labels {
		if have.Label == s.Label && have.Reader == s.Reader {
			s.Rank++
		}
	}
	t.Labels = append(t.Labels, s)
	return len(t.Labels) - 1
}

// begin is the node that a rule's path starts from. A rule without a path takes the store itself.
func (t *Tree) begin(r Rule, label int) (int, error) {
	if r.Store == "" {
		if len(r.Path) == 0 {
			return 0, t.give(&t.Store, label, "the same value")
		}
		return 0, nil
	}
	root, ok := t.Roots[r.Store]
	if !ok {
		root = Root{Node: t.node(), Label: -1}
	}
	var err error
	if len(r.Path) == 0 {
		err = t.give(&root.Label, label, "the same value")
	}
	t.Roots[r.Store] = root
	return root.Node, err
}

// give gives a value to a label. It can be one label only.
func (t *Tree) give(to *int, label int, same string) error {
	if *to < 0 {
		*to = label
		return nil
	}
	if have := t.Labels[*to]; have.Label != t.Labels[label].Label || have.Reader != t.Labels[label].Reader {
		return fmt.Errorf("%s as label %s", same, have.Label)
	}
	return nil
}

// edge finds or adds a step. One that different rules share is needless only if it is for all of them.
func (t *Tree) edge(node int, step Step, unless int) *Edge {
	n := &t.Nodes[node]
	for i := range n.Edges {
		if n.Edges[i].Step == step {
			if n.Edges[i].Unless != unless {
				n.Edges[i].Unless = -1
			}
			return &n.Edges[i]
		}
	}
	e := Edge{Step: step, Slot: step.Index, To: -1, Label: -1, Unless: unless}
	if name, ok := step.name(); ok {
		e.Slot = number(&t.Names, name)
	}
	n.Edges = append(n.Edges, e)
	return &n.Edges[len(n.Edges)-1]
}

func (t *Tree) node() int {
	t.Nodes = append(t.Nodes, Node{})
	return len(t.Nodes) - 1
}

func number[T comparable](list *[]T, s T) int {
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
		{"names of properties and keys", len(t.Names), MaxNames},
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
