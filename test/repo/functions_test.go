package repo

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"regexp"
	"strings"
	"testing"
)

// maxFunction bounds a function, in lines from its first to its closing brace, comments and blank lines included: it
// fits on a screen.
//
// In tests a composite literal or a text in backquotes that spans lines counts as one line, with the functions in it: a
// table of cases is data, and more cases make nobody's reading harder. Outside tests everything counts.
const maxFunction = 60

// function is one that was measured.
type function struct {
	name  string
	line  int // where it begins
	lines int
}

// goFunctions measures the functions and methods of a Go file. A function literal counts where it stands.
func goFunctions(name string, source []byte) ([]function, error) {
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, name, source, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	line := func(p token.Pos) int { return fset.Position(p).Line }
	var list []function
	for _, d := range f.Decls {
		fn, ok := d.(*ast.FuncDecl)
		if !ok || fn.Body == nil {
			continue
		}
		lines := line(fn.End()) - line(fn.Pos()) + 1
		if strings.HasSuffix(name, "_test.go") {
			lines -= tableLines(fn.Body, line)
		}
		list = append(list, function{fn.Name.Name, line(fn.Pos()), lines})
	}
	return list, nil
}

// tableLines is by how many lines the literals of a function, outermost ones only, are longer than a line each.
func tableLines(body ast.Node, line func(token.Pos) int) int {
	n := 0
	ast.Inspect(body, func(node ast.Node) bool {
		switch node.(type) {
		case *ast.CompositeLit, *ast.BasicLit:
			n += line(node.End()) - line(node.Pos())
			return false
		}
		return true
	})
	return n
}

var (
	// The first line of a function of C: a name in the first column and parameters, as the kernel's style has it.
	cFirstLine = regexp.MustCompile(`^\w[\w \t*]*\b(\w+)\(`)
	cSection   = regexp.MustCompile(`^SEC\("`)
)

// cFunctions measures the functions of a C file. It goes by the layout: a function begins in the first column and ends
// with a closing brace there.
func cFunctions(source string) []function {
	var list []function
	var open *function
	body := false
	for i, line := range strings.Split(source, "\n") {
		if m := cFirstLine.FindStringSubmatch(line); m != nil && open == nil && !cSection.MatchString(line) {
			open, body = &function{name: m[1], line: i + 1}, false
		}
		body = body || strings.Contains(line, "{")
		switch {
		case open == nil:
		case !body && strings.HasSuffix(line, ";"): // a declaration only
			open = nil
		case line == "}", i+1 == open.line && strings.HasSuffix(line, "}"):
			open.lines = i + 1 - open.line + 1
			list = append(list, *open)
			open = nil
		}
	}
	return list
}

func functions(name string, source []byte) ([]function, error) {
	if strings.HasSuffix(name, ".go") {
		return goFunctions(name, source)
	}
	return cFunctions(string(source)), nil
}

func TestFunctionLength(t *testing.T) {
	measured := map[bool]int{} // by whether they are of Go
	for _, name := range withSuffix(t, ".go", ".c", ".h") {
		b := read(t, name)
		if isData(name, b) {
			continue
		}
		list, err := functions(name, b)
		if err != nil {
			t.Error(err)
		}
		measured[strings.HasSuffix(name, ".go")] += len(list)
		for _, f := range list {
			if f.lines > maxFunction {
				t.Errorf("%s:%d: function %s has %d lines, the limit is %d", name, f.line, f.name, f.lines, maxFunction)
			}
		}
	}
	if measured[true] < 100 || measured[false] < 50 {
		t.Errorf("only %d functions of Go and %d of C found: the rule checks nothing", measured[true], measured[false])
	}
}

// TestFunctions: the rule can be broken, and tables in tests do not break it.
func TestFunctions(t *testing.T) {
	statements := func(n int) string { return strings.Repeat("\tf()\n", n) }
	table := "\tx := []int{\n" + strings.Repeat("\t\t1,\n", 80) + "\t}\n\ty := `" + strings.Repeat("\n", 80) + "`\n"
	for _, c := range []struct {
		name, source string
		lines        int
	}{
		{"a.go", "package a\n\n// f is.\nfunc f() {\n" + statements(58) + "}\n", 60},
		{"a.go", "package a\n\nfunc (a A) f(x int,\n\ty int) {\n" + statements(58) + "}\n", 61},
		{"a.go", "package a\n\nfunc f() {\n" + table + "}\n", 2 + 82 + 81},
		{"a_test.go", "package a\n\nfunc f() {\n" + table + statements(58) + "}\n", 2 + 1 + 1 + 58},
		{"a_test.go", "package a\n\nfunc f() {\n\tt.Run(x, func() {\n" + statements(60) + "\t})\n}\n", 64},
		{"a.h", "struct a {\n\tint x;\n};\n\nint g(int);\nstatic int f(int x,\n\t\tint y)\n{\n" + statements(60) +
			"}\n", 64},
		{"a.h", "int f(void) { return 1; }\n}\n", 1},
		{"a.h", "int g(int a,\n      int b);\n\nSEC(\"perf_event\")\nint f(void)\n{\n\tif (x) {\n\t}\n}\n", 5},
	} {
		list, err := functions(c.name, []byte(c.source))
		if err != nil || len(list) != 1 || list[0].name != "f" || list[0].lines != c.lines {
			t.Errorf("%s:\n%s\nfound %s, error %v; want f with %d lines", c.name, c.source, fmt.Sprint(list), err,
				c.lines)
		}
	}
}
