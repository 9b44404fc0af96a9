package repo

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"slices"
	"strings"
	"testing"
)

// undocumented lists what a Go file exports without a doc comment. In a group of constants, variables or types the
// comment of the group is enough, and so is one at the end of the line. Methods of a type that is not exported are
// nobody's to read, fields are left to the comment of their type.
func undocumented(f *ast.File) []*ast.Ident {
	var list []*ast.Ident
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Name.IsExported() && d.Doc == nil && (d.Recv == nil || ast.IsExported(receiver(d))) {
				list = append(list, d.Name)
			}
		case *ast.GenDecl:
			list = append(list, undocumentedSpecs(d)...)
		}
	}
	return list
}

// receiver is the name of the type that a method belongs to.
func receiver(d *ast.FuncDecl) string {
	e := d.Recv.List[0].Type
	for {
		switch t := e.(type) {
		case *ast.StarExpr:
			e = t.X
		case *ast.IndexExpr:
			e = t.X
		case *ast.IndexListExpr:
			e = t.X
		case *ast.Ident:
			return t.Name
		default:
			return ""
		}
	}
}

func undocumentedSpecs(d *ast.GenDecl) []*ast.Ident {
	var list []*ast.Ident
	if d.Doc != nil {
		return nil
	}
	for _, s := range d.Specs {
		switch s := s.(type) {
		case *ast.TypeSpec:
			if s.Name.IsExported() && s.Doc == nil && s.Comment == nil {
				list = append(list, s.Name)
			}
		case *ast.ValueSpec:
			if s.Doc == nil && s.Comment == nil {
				list = append(list, slices.DeleteFunc(slices.Clone(s.Names),
					func(i *ast.Ident) bool { return !i.IsExported() })...)
			}
		}
	}
	return list
}

// TestDocComments: what a package exports says what it is, and so does the package.
func TestDocComments(t *testing.T) {
	documented := map[string]bool{} // by folder: whether the package has a comment
	for _, name := range withSuffix(t, ".go") {
		b := read(t, name)
		if strings.HasSuffix(name, "_test.go") || isData(name, b) {
			continue
		}
		fset := token.NewFileSet()
		f, err := parser.ParseFile(fset, name, b, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			t.Error(err)
			continue
		}
		documented[path.Dir(name)] = documented[path.Dir(name)] || f.Doc != nil
		if f.Name.Name == "main" {
			continue
		}
		for _, id := range undocumented(f) {
			t.Errorf("%s:%d: %s is exported but has no doc comment", name, fset.Position(id.Pos()).Line, id.Name)
		}
	}
	for folder, ok := range documented {
		if !ok {
			t.Errorf("%s: the package has no package comment", folder)
		}
	}
}

// TestUndocumented: the rule can be broken.
func TestUndocumented(t *testing.T) {
	for source, want := range map[string]string{
		"// F is.\nfunc F() {}\n\nfunc g() {}":              "[]",
		"func F() {}":                                       "[F]",
		"func (T) F() {}\n\nfunc (*T) G() {}":               "[F G]",
		"func (t *T[A]) F() {}\n\nfunc (t T[A, B]) G() {}":  "[F G]",
		"func (t) F() {}\n\nfunc (*t) G() {}":               "[]",
		"type T struct{ X int }":                            "[T]",
		"// T is.\ntype T struct{ X int }":                  "[]",
		"type (\n\t// T is.\n\tT int\n\tU int\n)":           "[U]",
		"const X = 1":                                       "[X]",
		"// What there is.\nconst (\n\tX = 1\n\tY = 2\n)":   "[]",
		"const (\n\tX = 1 // is\n\t// Is.\n\tY = 2\n\tZ\n)": "[Z]",
		"var X, y, Z = 1, 2, 3":                             "[X Z]",
	} {
		f, err := parser.ParseFile(token.NewFileSet(), "a.go", "package a\n\n"+source, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		if got := fmt.Sprint(undocumented(f)); got != want {
			t.Errorf("%s\nfound %s, want %s", source, got, want)
		}
	}
}
