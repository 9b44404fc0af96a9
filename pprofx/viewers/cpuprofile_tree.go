package viewers

import (
	"iter"
	"strconv"
)

// cpuTree is the call tree of a thread. A node's id is its index and 1.
type cpuTree struct {
	places   []place
	nodes    []cpuNode
	byCaller map[cpuEdge]int32
	leaves   []int32          // the node of each stack of the recording, absent if it is not the thread's
	scripts  map[string]int64 // number of each file
}

type cpuNode struct {
	place    int32 // those of rootNode and idleNode are absent
	caller   int32
	hits     int64 // samples of which it is the leaf
	children []int64
}

type cpuEdge struct{ caller, place int32 }

const (
	rootNode = iota
	idleNode
)

// topNames are the functions that are no code, as V8 names them (src/profiler/profile-generator.cc).
var topNames = [...]string{rootNode: "(root)", idleNode: "(idle)"}

func newCPUTree(r *recording, t *thread) *cpuTree {
	tree := &cpuTree{
		places: r.places, nodes: []cpuNode{{place: absent, children: []int64{idleNode + 1}}, {place: absent}},
		byCaller: map[cpuEdge]int32{}, leaves: make([]int32, len(r.keys)), scripts: map[string]int64{},
	}
	for i := range tree.leaves {
		tree.leaves[i] = absent
	}
	var stack []int32
	gaps := int64(0)
	for s := range r.spans(t) {
		if s.stack == absent {
			gaps += s.length
			continue
		}
		if tree.leaves[s.stack] == absent {
			stack = r.rootFirst(stack, s.stack)
			tree.leaves[s.stack] = tree.leaf(stack)
		}
		tree.nodes[tree.leaves[s.stack]].hits++
	}
	// DevTools gives each hit the same share of the time: a gap has as many as samples would have fitted in.
	if r.period > 0 {
		tree.nodes[idleNode].hits = (gaps + r.period/2) / r.period
	}
	return tree
}

// leaf returns the node of a stack, root first.
func (t *cpuTree) leaf(stack []int32) int32 {
	at := int32(rootNode)
	for _, p := range stack {
		edge := cpuEdge{at, p}
		child, ok := t.byCaller[edge]
		if !ok {
			child = int32(len(t.nodes))
			t.nodes = append(t.nodes, cpuNode{place: p, caller: at})
			t.nodes[at].children = append(t.nodes[at].children, int64(child)+1)
			t.byCaller[edge] = child
		}
		at = child
	}
	return at
}

// samples lists the samples of the file: a node, and when it begins, in nanoseconds since the start of the recording.
// What readers take for the length of a sample is the time to the next one, so that the last one has none, and is idle.
//
// speedscope puts the collector on top of the stack before it, whatever its own is. So that stack is made right by a
// sample of no length.
func (t *cpuTree) samples(r *recording, of *thread) iter.Seq2[int32, int64] {
	return func(yield func(node int32, at int64) bool) {
		last, end := int32(rootNode), int64(0)
		for s := range r.spans(of) {
			node := int32(idleNode)
			if s.stack != absent {
				node = t.leaves[s.stack]
			}
			n := &t.nodes[node]
			if n.place == collectorPlace && last != node && last != n.caller && !yield(n.caller, s.at) {
				return
			}
			if !yield(node, s.at) {
				return
			}
			last, end = node, s.at+s.length
		}
		yield(idleNode, end)
	}
}

type protocolNode struct {
	ID        int               `json:"id"`
	CallFrame protocolCallFrame `json:"callFrame"`
	Hits      int64             `json:"hitCount"`
	Children  []int64           `json:"children,omitempty"`
	Lines     []protocolLine    `json:"positionTicks,omitempty"`
}

type protocolCallFrame struct {
	Function string `json:"functionName"`
	Script   string `json:"scriptId"`
	URL      string `json:"url"`
	Line     int    `json:"lineNumber"`   // from 0; -1 = unknown
	Column   int    `json:"columnNumber"` // from 0; -1 = unknown
}

type protocolLine struct {
	Line  int   `json:"line"` // from 1
	Ticks int64 `json:"ticks"`
}

// protocol returns ProfileNode of the DevTools protocol.
func (t *cpuTree) protocol(i int) protocolNode {
	n := &t.nodes[i]
	var p place
	if i < len(topNames) {
		p.name = topNames[i]
	} else {
		p = t.places[n.place]
	}
	to := protocolNode{
		ID: i + 1, Hits: n.hits, Children: n.children,
		CallFrame: protocolCallFrame{p.name, t.script(p.file), p.file, p.line - 1, p.column - 1},
	}
	if n.hits > 0 && p.line > 0 {
		to.Lines = []protocolLine{{p.line, n.hits}}
	}
	return to
}

// script numbers files: DevTools takes functions of one name and one script to be the same. No file is 0, as in V8.
func (t *cpuTree) script(file string) string {
	if file == "" {
		return "0"
	}
	n, ok := t.scripts[file]
	if !ok {
		n = int64(len(t.scripts)) + 1
		t.scripts[file] = n
	}
	return strconv.FormatInt(n, 10)
}
