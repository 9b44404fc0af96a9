package inspect

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// counted is how many objects there are of a name, and how many bytes they take.
type counted struct{ Count, Bytes uint64 }

// heapSnapshot is what V8 has written of its heap: an array of numbers for all nodes, so many each, and one for all
// edges. (src/profiler/heap-snapshot-generator.cc)
type heapSnapshot struct {
	Snapshot struct {
		Meta struct {
			Node_fields, Edge_fields []string
			Node_types, Edge_types   []any
		}
	}
	Nodes, Edges []uint64
	Strings      []string
}

func readSnapshot(t *testing.T, dir string) (s heapSnapshot) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, "heap.heapsnapshot"))
	if err == nil {
		err = json.Unmarshal(text, &s)
	}
	if err != nil || len(s.Nodes) == 0 {
		t.Fatalf("the snapshot: %v", err)
	}
	return s
}

// node is a node of a snapshot.
type node struct {
	Type, Name  string
	Size, Edges uint64
}

func (s *heapSnapshot) nodes() (out []node) {
	fields := s.Snapshot.Meta.Node_fields
	types := s.Snapshot.Meta.Node_types[0].([]any)
	at := func(i int, field string) uint64 { return s.Nodes[i+slices.Index(fields, field)] }
	for i := 0; i < len(s.Nodes); i += len(fields) {
		out = append(out, node{types[at(i, "type")].(string), s.Strings[at(i, "name")], at(i, "self_size"),
			at(i, "edge_count")})
	}
	return out
}

// objects are the objects of JavaScript in a snapshot, by name. All functions have the name Function.
func (s *heapSnapshot) objects() map[string]counted {
	out := map[string]counted{}
	for _, n := range s.nodes() {
		switch n.Type {
		case "closure":
			n.Name = "Function"
		case "regexp":
			n.Name = "RegExp"
		case "object":
		default:
			continue
		}
		c := out[n.Name]
		out[n.Name] = counted{c.Count + 1, c.Bytes + n.Size}
	}
	return out
}
