package repo

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// named is an identifier or the name of a file, and where it is.
type named struct {
	text  string
	line  int // 0 for a file
	files bool
}

// goNames lists the identifiers of a Go file, less those that other packages declare: strings.TrimSpace is as it is.
func goNames(name string, source []byte) ([]named, error) {
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, name, source, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	packages := map[string]bool{}
	for _, s := range f.Imports {
		if s.Name != nil {
			packages[s.Name.Name] = true
		} else if p, err := strconv.Unquote(s.Path.Value); err == nil {
			packages[path.Base(p)] = true
		}
	}
	var list []named
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ImportSpec:
			return false
		case *ast.SelectorExpr:
			if x, ok := n.X.(*ast.Ident); ok && packages[x.Name] {
				return false
			}
		case *ast.Ident:
			list = append(list, named{text: n.Name, line: fset.Position(n.Pos()).Line})
		}
		return true
	})
	return list, nil
}

var (
	// What is no code in a file of C: comments, texts, and the names of headers.
	cNoCode     = regexp.MustCompile(`//.*|(?s:/\*.*?\*/)|"(?:\\.|[^"\\\n])*"|(?m:^#include.*$)`)
	cIdentifier = regexp.MustCompile(`[A-Za-z_]\w*`)
)

// cNames lists the identifiers of a C file.
func cNames(source string) []named {
	blank := func(s string) string { return strings.Repeat("\n", strings.Count(s, "\n")) }
	var list []named
	for i, line := range strings.Split(cNoCode.ReplaceAllStringFunc(source, blank), "\n") {
		for _, id := range cIdentifier.FindAllString(line, -1) {
			list = append(list, named{text: id, line: i + 1})
		}
	}
	return list
}

var namePart = regexp.MustCompile(`[A-Z]+[a-z0-9]*|[a-z0-9]+`)

// parts are the words of an identifier or a file's name in lower case: of readHTTPHeader and READ_HTTP_HEADER they are
// read, http and header.
func parts(name string) []string {
	var list []string
	for _, p := range namePart.FindAllString(name, -1) {
		// of several capitals before a small letter the last one begins the next word
		if n := strings.IndexFunc(p, func(r rune) bool { return r >= 'a' && r <= 'z' }); n > 1 {
			list = append(list, strings.ToLower(p[:n-1]), strings.ToLower(p[n-1:]))
			continue
		}
		list = append(list, strings.ToLower(p))
	}
	return list
}

// matches reports whether a name is what the word was renamed from.
func (r renamed) matches(n named) bool {
	old, have := strings.Fields(r.old), parts(n.text)
	switch r.how {
	case inNames:
		return n.files && slices.Equal(old, have)
	case exported:
		return !n.files && len(have) == 1 && n.text == strings.ToUpper(r.old[:1])+r.old[1:]
	case whole:
		return slices.Equal(old, have)
	}
	for i := range have {
		if len(have)-i >= len(old) && slices.Equal(old, have[i:i+len(old)]) {
			return true
		}
	}
	return false
}

// holdsFor reports whether a file is one in which the old word may not be.
func (r renamed) holdsFor(file string) bool {
	return r.in == nil || slices.ContainsFunc(r.in, func(folder string) bool {
		return file == folder || strings.HasPrefix(file, folder+"/")
	})
}

// fileNames are the elements of a file's path, without the extensions.
func fileNames(file string) []named {
	var list []named
	for _, element := range strings.Split(file, "/") {
		base, _, _ := strings.Cut(element, ".")
		list = append(list, named{text: strings.TrimSuffix(base, "_test"), files: true})
	}
	return list
}

// namesIn lists the names in a file and that of the file itself.
func namesIn(file string, source []byte) ([]named, error) {
	list, err := fileNames(file), error(nil)
	var more []named
	switch path.Ext(file) {
	case ".go":
		more, err = goNames(file, source)
	case ".c", ".h":
		more = cNames(string(source))
	}
	return append(list, more...), err
}

func TestRenamed(t *testing.T) {
	for _, file := range withSuffix(t, ".go", ".c", ".h") {
		b := read(t, file)
		if isData(file, b) {
			continue
		}
		names, err := namesIn(file, b)
		if err != nil {
			t.Error(err)
		}
		seen := map[string]bool{} // once a file is enough
		for _, n := range names {
			if n.files || !seen[n.text] {
				seen[n.text] = !n.files
				checkName(t, file, n)
			}
		}
	}
}

func checkName(t *testing.T, file string, n named) {
	t.Helper()
	where := file
	if !n.files {
		where += ":" + strconv.Itoa(n.line)
	}
	for _, r := range renamedWords {
		if r.holdsFor(file) && r.matches(n) {
			t.Errorf("%s: %q contains the old word %q; write %s", where, n.text, r.old, r.now)
		}
	}
}

// TestRenamedMatches: the rule can be broken, and not by words that only contain an old one.
func TestRenamedMatches(t *testing.T) {
	for _, c := range []struct {
		word   renamed
		file   string
		source string
		bad    bool
	}{
		{renamed{old: "young"}, "a/b.go", "package a\n\nvar maxYoung = 1", true},
		{renamed{old: "young"}, "a/b.go", "package a\n\nvar younger = 1 // so young", false},
		{renamed{old: "young"}, "a/young_test.go", "package a", true},
		{renamed{old: "young"}, "young/b.go", "package a", true},
		{renamed{old: "so far"}, "a/b.h", "int so_far;", true},
		{renamed{old: "so far"}, "a/b.h", "int MAX_SO_FAR;", true},
		{renamed{old: "so far"}, "a/b.h", "// so_far\nint x; /* so_far */ char *y = \"so_far\";\n#include <so_far.h>",
			false},
		{renamed{old: "so far"}, "a/b.h", "int so, far;", false},
		{renamed{old: "space"}, "a/b.go", "package a\n\nimport \"strings\"\n\nvar x = strings.TrimSpace(\"space\")",
			false},
		{renamed{old: "space"}, "a/b.go", "package a\n\nfunc (t T) OwnSpace() {}", true},
		{renamed{old: "space", in: []string{"a"}}, "a/c/b.go", "package a\n\nvar space int", true},
		{renamed{old: "space", in: []string{"a"}}, "ab/b.go", "package a\n\nvar space int", false},
		{renamed{old: "look", how: whole}, "a/b.go", "package a\n\nfunc lookAbove() {}", false},
		{renamed{old: "look", how: whole}, "a/b.go", "package a\n\nfunc (t T) Look() {}", true},
		{renamed{old: "look", how: whole}, "a/look.go", "package a", true},
		{renamed{old: "sets", how: exported}, "a/b.go", "package a\n\ntype Sets int", true},
		{renamed{old: "sets", how: exported}, "a/sets.go", "package a\n\nvar sets int", false},
		{renamed{old: "pool", how: inNames}, "a/b.go", "package a\n\nvar pool int", false},
		{renamed{old: "pool", how: inNames}, "a/pool.bpf.c", "int x;", true},
		{renamed{old: "pool", how: inNames}, "a/pool/b.go", "package pool", true},
		{renamed{old: "pool", how: inNames}, "a/uvpool.go", "package a", false},
		{renamed{old: "http"}, "a/b.go", "package a\n\nvar readHTTPHeader int", true},
	} {
		names, err := namesIn(c.file, []byte(c.source))
		if err != nil {
			t.Fatal(err)
		}
		bad := c.word.holdsFor(c.file) && slices.ContainsFunc(names, c.word.matches)
		if bad != c.bad {
			t.Errorf("%s: %q: %q found %v, want %v", c.file, c.source, c.word.old, bad, c.bad)
		}
	}
}
