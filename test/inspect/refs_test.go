package inspect

import (
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hotspan/hotspan/test/nodes/live"
)

// holder is an object that hotspan inspect says holds another.
type holder struct {
	Kind, Where string
	Weak        bool
	Holders     []holder
}

// TestRefs: who holds an object of a core, and where, is what the program did, and what V8's own snapshot has.
func TestRefs(t *testing.T) {
	t.Parallel()
	live.NeedCores(t)
	script, err := filepath.Abs("testdata/refs.js")
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range versions() {
		t.Run(v.Version, func(t *testing.T) {
			dir := t.TempDir()
			core := live.Core(t, v.Version, "--expose-gc", script, dir)
			var list struct {
				Count     int
				Addresses []string
			}
			if err := inspect(&list, core, "objects", "Held"); err != nil || list.Count != 1 {
				t.Fatalf("%v: %+v", err, list)
			}
			var refs []holder
			if err := inspect(&refs, core, "refs", list.Addresses[0]); err != nil || refs[0].Kind != "Held" {
				t.Fatalf("%v: %+v", err, refs)
			}
			var got []string
			for _, h := range refs[0].Holders {
				got = append(got, paths(h)...)
			}
			slices.Sort(got)
			want := []string{".#hidden of Secret", ".entry of Table", ".first of Many", ".held of Inside",
				".late of Outside", ".second of Many", "[2] of elements of Array", "entries of Map",
				"held value of (WeakCell)", "target of Proxy", "variable kept of closure of Function",
				"weakly of (WeakCell)", "weakly of WeakMap", "weakly of WeakRef", "weakly of WeakSet"}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s\n%+v", diff, refs[0].Holders)
			}
			checkEdges(t, dir, got)
		})
	}
}

// paths are the ways from an object to the objects of JavaScript that hold it. Where in V8's own arrays they go is left
// out.
func paths(h holder) (out []string) {
	if h.Weak && len(h.Holders) > 0 {
		return []string{"weakly of " + h.Holders[0].Kind}
	}
	if len(h.Holders) == 0 {
		if h.Weak {
			return []string{"weakly of " + h.Kind}
		}
		return []string{h.Where + " of " + h.Kind}
	}
	for _, next := range h.Holders {
		for _, path := range paths(next) {
			if next.Where == "elements" || h.Kind == "(Context)" {
				path = h.Where + " of " + path
			}
			out = append(out, path)
		}
	}
	return out
}

// checkEdges compares with the properties by which objects of V8's snapshot hold the object.
func checkEdges(t *testing.T, dir string, got []string) {
	t.Helper()
	s := readSnapshot(t, dir)
	fields := s.Snapshot.Meta.Edge_fields
	types := s.Snapshot.Meta.Edge_types[0].([]any)
	nodes := s.nodes()
	size := uint64(len(s.Snapshot.Meta.Node_fields))
	edge, found := 0, 0
	for _, n := range nodes {
		for range n.Edges {
			at := func(field string) uint64 { return s.Edges[edge+slices.Index(fields, field)] }
			to := nodes[at("to_node")/size]
			if to.Name == "Held" && to.Type == "object" && types[at("type")] == "property" && n.Type == "object" {
				found++
				if text := "." + s.Strings[at("name_or_index")] + " of " + n.Name; !slices.Contains(got, text) {
					t.Errorf("V8's snapshot has %s, this one not: %q", text, got)
				}
			}
			edge += len(fields)
		}
	}
	if found < 5 {
		t.Errorf("%d properties in V8's snapshot hold it", found)
	}
}
