package context

import (
	"fmt"
	"slices"
)

// Limits of a Tree. The BPF program has room for this much.
const (
	MaxNames     = 128 // different names in all paths
	MaxNodes     = 64  // kinds of object on all paths
	MaxEdges     = 128 // different steps in all paths
	MaxNodeEdges = 64  // steps from one kind of object
	MaxLabels    = 64  // rules, and labels that rules name in Unless
	MaxNameBytes = 64  // of a name, with two bytes a character if not all are Latin-1
)

// Tree has a set of rules in the form that the BPF program follows: paths with a common beginning share it. Node 0
// stands for the store of any AsyncLocalStorage. A Tree is not changed after NewTree, and may be used by several
// goroutines.
type Tree struct {
	Labels []TreeLabel // by label number
	Names  []Name      // by number
	Nodes  []Node      // by number
	Store  int         // label whose value is the store of any AsyncLocalStorage itself; -1 = none
	// Roots are where the rules of single AsyncLocalStorages begin. They come in addition to node 0.
	Roots []Root
	// StorageName is the number of the name of the private field that has the name of an AsyncLocalStorage, from
	// Node.js 24 on. It is of no use without Roots.
	StorageName int
}

// TreeLabel is a label as one rule makes it.
type TreeLabel struct {
	Label  string // key
	Source Source
	Bytes  bool   // the value is an array of bytes
	Time   bool   // the value is a time
	Rank   int    // of several rules of one source for one label, the one with the lowest rank that has a value counts
	Unless string // key of the label of the same source that makes this one needless; empty for none
}

// Node is a kind of object on the way to values: all objects that are reached by the same path.
type Node struct{ Edges []Edge }

// Edge is a step from an object to a value.
type Edge struct {
	Step
	Slot   int // number of the name in Tree.Names; of an element its index
	To     int // node that the value is an object of; -1 = no path goes on from it
	Label  int // label that has this value; -1 = none
	Unless int // label that makes all labels behind this edge needless; -1 = none
}

// Root is where the rules of one AsyncLocalStorage begin.
type Root struct {
	Name  int // number of the name of the AsyncLocalStorage in Tree.Names
	Node  int // that its store is an object of; -1 = none
	Label int // label whose value is the store itself; -1 = none
}

// NewTree joins rules. It fails if they exceed the limits of a Tree, or if labels of different keys or sources have the
// same path. The error names the label.
func NewTree(rules []Rule) (*Tree, error) {
	t := &Tree{Nodes: make([]Node, 1), Store: -1}
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
		unless = t.first(r.Unless, r.Source)
	}
	node, err := t.rootNode(r, label)
	if err != nil || len(r.Path) == 0 {
		return err
	}
	for i, step := range r.Path {
		e := t.edge(node, step, unless)
		if i == len(r.Path)-1 {
			return t.assign(&e.Label, label, "the same path")
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

// first finds or adds the first label with a key and returns its number.
func (t *Tree) first(key string, source Source) int {
	i := slices.IndexFunc(t.Labels, func(l TreeLabel) bool { return l.Label == key && l.Source == source })
	if i < 0 {
		i = len(t.Labels)
		t.Labels = append(t.Labels, TreeLabel{Label: key, Source: source})
	}
	return i
}

// label adds the label of a rule and returns its number, which is lower for earlier rules.
func (t *Tree) label(r Rule) int {
	s := TreeLabel{Label: r.Label, Source: r.Source, Bytes: r.Bytes, Time: r.Time, Unless: r.Unless}
	for _, have := range t.Labels {
		if have.Label == s.Label && have.Source == s.Source {
			s.Rank++
		}
	}
	t.Labels = append(t.Labels, s)
	return len(t.Labels) - 1
}

// rootNode returns the node that a rule's path starts from. A rule without a path has the store itself as its value.
func (t *Tree) rootNode(r Rule, label int) (int, error) {
	if r.Store == "" {
		if len(r.Path) == 0 {
			return 0, t.assign(&t.Store, label, "the same value")
		}
		return 0, nil
	}
	root := t.root(r.Store)
	if len(r.Path) == 0 {
		return root.Node, t.assign(&root.Label, label, "the same value")
	}
	return root.Node, nil
}

// root finds or adds where the rules of the AsyncLocalStorage with this name begin.
func (t *Tree) root(storage string) *Root {
	t.StorageName = intern(&t.Names, Name{PrivateName, "#name"})
	name := intern(&t.Names, Name{StringName, storage})
	i := slices.IndexFunc(t.Roots, func(r Root) bool { return r.Name == name })
	if i < 0 {
		i = len(t.Roots)
		t.Roots = append(t.Roots, Root{Name: name, Node: t.node(), Label: -1})
	}
	return &t.Roots[i]
}

// assign makes label the one that has a value. A value can be that of one label only.
func (t *Tree) assign(to *int, label int, same string) error {
	if *to < 0 {
		*to = label
		return nil
	}
	if have := t.Labels[*to]; have.Label != t.Labels[label].Label || have.Source != t.Labels[label].Source {
		return fmt.Errorf("%s as label %s", same, have.Label)
	}
	return nil
}

// edge finds or adds a step. A step that rules share is needless only if it is for all of them.
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
		e.Slot = intern(&t.Names, name)
	}
	n.Edges = append(n.Edges, e)
	return &n.Edges[len(n.Edges)-1]
}

// node adds a node and returns its number.
func (t *Tree) node() int {
	t.Nodes = append(t.Nodes, Node{})
	return len(t.Nodes) - 1
}

// intern finds or adds s in a list and returns its index.
func intern[T comparable](list *[]T, s T) int {
	for i, have := range *list {
		if have == s {
			return i
		}
	}
	*list = append(*list, s)
	return len(*list) - 1
}

// IsStore reports whether a node's objects are stores, not what stores refer to.
func (t *Tree) IsStore(node int) bool {
	return node == 0 || slices.ContainsFunc(t.Roots, func(r Root) bool { return r.Node == node })
}

// Behind returns the numbers of the labels that objects of a node lead to, a bit each.
func (t *Tree) Behind(node int) (labels uint64) {
	for _, e := range t.Nodes[node].Edges {
		if e.Label >= 0 {
			labels |= 1 << e.Label
		}
		if e.To >= 0 {
			labels |= t.Behind(e.To)
		}
	}
	return labels
}

func (t *Tree) check() error {
	edges, widest := 0, 0
	for _, n := range t.Nodes {
		edges += len(n.Edges)
		widest = max(widest, len(n.Edges))
	}
	for _, n := range t.Names {
		if units, width := n.Encode(); len(units)*width > MaxNameBytes {
			return fmt.Errorf("label rules have the name %.20s…, which is longer than %d bytes", n.Text, MaxNameBytes)
		}
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
