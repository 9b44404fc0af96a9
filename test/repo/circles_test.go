package repo

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// listed is what go list says of a package.
type listed struct {
	ImportPath string
	Dir        string
	Export     string // the file with what it exports, for who imports it
	GoFiles    []string
	Standard   bool
	Module     *struct{ Main bool }
}

// listPackages lists the module's packages and all that they import.
func listPackages(t *testing.T) []listed {
	t.Helper()
	cmd := exec.Command("go", "list", "-export", "-deps", "-json=ImportPath,Dir,Export,GoFiles,Standard,Module",
		"./...")
	cmd.Dir = root
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v: %s", err, stderr.Bytes())
	}
	var list []listed
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var p listed
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			return list
		} else if err != nil {
			t.Fatal(err)
		}
		list = append(list, p)
	}
}

// references says which names a file uses that another file of its package declares: by the file that uses, then by
// the one that declares.
type references map[string]map[string][]string

func (r references) add(from, to, name string) {
	if r[from] == nil {
		r[from] = map[string][]string{}
	}
	if !slices.Contains(r[from][to], name) {
		r[from][to] = append(r[from][to], name)
	}
}

// referencesIn checks the types of a package's files and lists who uses what. A method, too, is used where it is named,
// and declared where its body is.
func referencesIn(path string, files []*ast.File, fset *token.FileSet, imports types.Importer) (references, error) {
	info := &types.Info{Uses: map[*ast.Ident]types.Object{}}
	config := types.Config{Importer: imports}
	pkg, err := config.Check(path, fset, files, info)
	if err != nil {
		return nil, err
	}
	r := references{}
	for id, object := range info.Uses {
		if object.Pkg() != pkg {
			continue
		}
		from, to := fset.Position(id.Pos()).Filename, fset.Position(object.Pos()).Filename
		if from != to {
			r.add(filepath.Base(from), filepath.Base(to), object.Name())
		}
	}
	return r, nil
}

// circles are the groups of files of which each leads to each other one, however many files lie between: the strongly
// connected components with more than one file.
func (r references) circles() [][]string {
	reach := map[string]map[string]bool{}
	for from := range r {
		reach[from] = map[string]bool{}
		r.walk(from, reach[from])
	}
	var list [][]string
	done := map[string]bool{}
	for _, from := range slices.Sorted(maps.Keys(r)) {
		if done[from] || !reach[from][from] {
			continue
		}
		var circle []string
		for _, to := range slices.Sorted(maps.Keys(reach[from])) {
			if reach[to][from] {
				circle = append(circle, to)
				done[to] = true
			}
		}
		list = append(list, circle)
	}
	return list
}

func (r references) walk(from string, seen map[string]bool) {
	for to := range r[from] {
		if !seen[to] {
			seen[to] = true
			r.walk(to, seen)
		}
	}
}

// maxNames bounds the names that a message gives for what one file uses of another.
const maxNames = 5

// describe says which names tie the files of a circle together.
func (r references) describe(circle []string) string {
	var b strings.Builder
	for _, from := range circle {
		for _, to := range circle {
			names := slices.Sorted(slices.Values(r[from][to]))
			if len(names) == 0 {
				continue
			}
			more := ""
			if len(names) > maxNames {
				more = fmt.Sprintf(" and %d more", len(names)-maxNames)
				names = names[:maxNames]
			}
			fmt.Fprintf(&b, "\n\t%s uses from %s: %s%s", from, to, strings.Join(names, ", "), more)
		}
	}
	return b.String()
}

// TestReferenceCircles: the files of a package can be read in an order in which each builds on those before it.
func TestReferenceCircles(t *testing.T) {
	packages := listPackages(t)
	exports := map[string]string{}
	for _, p := range packages {
		exports[p.ImportPath] = p.Export
	}
	fset := token.NewFileSet()
	imports := importer.ForCompiler(fset, "gc",
		func(path string) (io.ReadCloser, error) { return os.Open(exports[path]) })
	checked := 0
	for _, p := range packages {
		if p.Module == nil || !p.Module.Main || len(p.GoFiles) < 2 {
			continue
		}
		var files []*ast.File
		for _, name := range p.GoFiles {
			f, err := parser.ParseFile(fset, filepath.Join(p.Dir, name), nil, parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			files = append(files, f)
		}
		r, err := referencesIn(p.ImportPath, files, fset, imports)
		if err != nil {
			t.Fatal(err)
		}
		checked++
		for _, circle := range r.circles() {
			t.Errorf("%s: %d files refer to each other in a circle:%s", strings.TrimPrefix(p.ImportPath, module+"/"),
				len(circle), r.describe(circle))
		}
	}
	if checked < 10 {
		t.Errorf("only %d packages checked: the rule checks nothing", checked)
	}
}

// TestCircles: the rule can be broken, by each kind of reference.
func TestCircles(t *testing.T) {
	for name, c := range map[string]struct {
		files map[string]string
		want  string
	}{
		"functions": {map[string]string{"a": "func A() { B() }", "b": "func B() { A() }"}, "[[a b]]"},
		"downwards": {map[string]string{"a": "func A() { B() }", "b": "func B() {}"}, "[]"},
		"over three": {map[string]string{"a": "func A() { B() }", "b": "func B() { C() }", "c": "func C() { A() }"},
			"[[a b c]]"},
		"method": {map[string]string{"a": "type T int\nfunc (t T) A() { t.B() }", "b": "func (t T) B() {}"},
			"[[a b]]"},
		"field": {map[string]string{"a": "type T struct{ x U }", "b": "type U struct{ y *V }\ntype V int",
			"c": "func c(t T) int { return int(*t.x.y) }"}, "[]"},
		"generic method": {map[string]string{"a": "type T[P any] struct{ p P }\nfunc A() { T[int]{}.B() }",
			"b": "func (t T[P]) B() { _ = t.p }"}, "[[a b]]"},
		"constant": {map[string]string{"a": "const A = B", "b": "const B = 1\nfunc b() int { return A }"}, "[[a b]]"},
		"two circles": {map[string]string{"a": "func A() { B(); C() }", "b": "func B() { A() }",
			"c": "func C() { D() }", "d": "func D() { C() }"}, "[[a b] [c d]]"},
	} {
		fset := token.NewFileSet()
		var files []*ast.File
		for _, file := range slices.Sorted(maps.Keys(c.files)) {
			f, err := parser.ParseFile(fset, file, "package p\n\n"+c.files[file], 0)
			if err != nil {
				t.Fatal(err)
			}
			files = append(files, f)
		}
		r, err := referencesIn("p", files, fset, nil)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if got := fmt.Sprint(r.circles()); got != c.want {
			t.Errorf("%s: circles %s, want %s", name, got, c.want)
		}
	}
	r := references{}
	r.add("a", "b", "B")
	r.add("b", "a", "A")
	if got, want := r.describe([]string{"a", "b"}), "\n\ta uses from b: B\n\tb uses from a: A"; got != want {
		t.Errorf("described as %q, want %q", got, want)
	}
}
