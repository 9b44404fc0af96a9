package inspect

import (
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hotspan/hotspan/test/draw"
	"github.com/hotspan/hotspan/test/nodes/live"
)

// heldPath is how hotspan inspect says that an object is held.
type heldPath struct {
	Root, Memory string
	Steps        []struct{ Kind, Where string }
}

// wantPath is how a program holds an object: the last steps, or if it begins with a root all of them.
type wantPath struct {
	root  string
	steps []string
}

// pathsOf are those of testdata/path.js, without the arrays in which V8 keeps elements, properties and entries.
var pathsOf = map[string]wantPath{
	"InGlobal": {"context", []string{"global object properties", "(PropertyCell) .shop", "Object .users",
		"Users .audit", "Array elements", "Object .session"}},
	"InModule":  {"context", []string{"Object .get", "Function closure", "(Context) variable kept", "Array elements"}},
	"InMap":     {"context", []string{"Object .map", "Map entries"}},
	"InScript":  {"context", []string{"(Context) variable script", "Object .held"}},
	"InTimer":   {"context", []string{"Timeout ._onTimeout", "Function closure", "(Context) variable kept"}},
	"InServer":  {"memory", []string{"Function closure", "(Context) variable kept"}},
	"OnStack":   {"memory", nil},
	"InWeakMap": {"", nil},
}

// TestPath: how objects are held is what the program does.
func TestPath(t *testing.T) {
	draw.Quarter(t, seldom)
	t.Parallel()
	script, err := filepath.Abs("testdata/path.js")
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range versions() {
		t.Run(v.Version, func(t *testing.T) {
			p := live.Start(t, v.Version, "--expose-gc", script)
			defer syscall.Kill(p.PID, syscall.SIGKILL)
			if checkPaths(t, "-p", strconv.Itoa(p.PID)) != "[stack]" {
				t.Error("what is on the stack is said to be elsewhere")
			}
		})
		t.Run(v.Version+"/core", func(t *testing.T) {
			live.NeedCores(t)
			checkPaths(t, live.Core(t, v.Version, "--expose-gc", script, "abort"))
		})
	}
}

// checkPaths compares the paths, and returns in which memory what is on the stack is.
func checkPaths(t *testing.T, of ...string) (memory string) {
	t.Helper()
	for class, want := range pathsOf {
		var list struct{ Addresses []string }
		if err := inspect(&list, append(of, "objects", class)...); err != nil || len(list.Addresses) != 1 {
			t.Fatalf("%s: %v, %v", class, list, err)
		}
		var paths []heldPath
		if err := inspect(&paths, append(of, "path", list.Addresses[0])...); err != nil {
			t.Fatalf("%s: %v", class, err)
		}
		p := paths[0]
		if class == "OnStack" {
			memory = p.Memory
		}
		if class == "InServer" && p.Steps[0].Kind != "TCP" {
			t.Errorf("%s is held by a %s, want the TCP that listens", class, p.Steps[0].Kind)
		}
		var got []string
		for _, s := range p.Steps {
			if !slices.Contains([]string{"(array)", "(FixedArray)", "(PropertyArray)", "(ContextCell)"}, s.Kind) {
				got = append(got, strings.TrimSpace(s.Kind+" "+s.Where))
			}
		}
		all := append(slices.Clone(want.steps), class)
		if n := len(got) - len(all); n > 0 && class != "InGlobal" && class != "OnStack" && class != "InWeakMap" {
			got = got[n:]
		}
		if class == "InWeakMap" && p.Root == "memory" { // a word that was left there, of when it was made
			p.Root = ""
		}
		if diff := cmp.Diff(all, got); diff != "" || p.Root != want.root {
			t.Errorf("%s, held by %q: %s\n%+v", class, p.Root, diff, p.Steps)
		}
	}
	return memory
}
